/**
 * A stream's definition made of a file or of records of a topic: what the first rows look like, which columns are the
 * time, the position and the keys, and whether all rows fit what is proposed. Enter by
 * {@link io.waterwheel.cli.proposal.SchemaProposal} and {@link io.waterwheel.cli.proposal.ProposalCheck}. Uses the
 * files and lines of {@code cli.input} and the core's schema. Tests: the same package, and {@code FilesAsTheyCome} in
 * deploy/embedded.
 */
@NullMarked
package io.waterwheel.cli.proposal;

import org.jspecify.annotations.NullMarked;
