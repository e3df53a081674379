package io.waterwheel.topology.config;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.util.List;

/** The configuration cannot be used; holds everything that is wrong with it, not only the first. */
public final class ConfigException extends WaterwheelException {
    private static final long serialVersionUID = 1;

    private final List<String> problems;

    ConfigException(String source, List<String> problems) {
        super(
                ErrorCode.BAD_CONFIGURATION,
                "configuration from " + source + ": " + problems.size()
                        + (problems.size() == 1 ? " problem" : " problems")
                        + "; every key is in docs/configuration.md\n  "
                        + String.join("\n  ", problems));
        this.problems = List.copyOf(problems);
    }

    /** One sentence each, beginning with the key. */
    public List<String> problems() {
        return problems;
    }
}
