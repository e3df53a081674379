package io.waterwheel.embedded.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Logs as a broker leaves them that wrote batches, and gave their offsets to others. */
final class PartitionLogsTest {
    @TempDir
    Path logs;

    /** A batch with its head, and some bytes that tell it from others. */
    @SuppressWarnings("ArrayRecordComponent") // never compared by its bytes
    private record Batch(int segment, long first, long last, byte[] bytes) {
        static Batch of(int segment, long first, long last, Random random) {
            byte[] body = new byte[27 + random.nextInt(40)];
            random.nextBytes(body);
            ByteBuffer head = ByteBuffer.wrap(body);
            head.putLong(0, first);
            head.putInt(8, body.length - 12);
            head.put(16, (byte) 2);
            head.putInt(23, (int) (last - first));
            CRC32C checksum = new CRC32C();
            checksum.update(body, 21, body.length - 21);
            head.putInt(17, (int) checksum.getValue());
            return new Batch(segment, first, last, body);
        }
    }

    private static Path segment(Path partition, long base, String kind) {
        return partition.resolve(String.format(Locale.ROOT, "%020d.%s", base, kind));
    }

    private static byte[] bytes(List<Batch> batches, int segment) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (Batch batch : batches) {
            if (batch.segment() == segment) {
                out.write(batch.bytes());
            }
        }
        return out.toByteArray();
    }

    /** The twin compares each batch with all behind it. */
    @Test
    void keepsOfEachOffsetTheLastThatHasIt() throws IOException {
        for (long seed = 1; seed <= Rounds.of(200, 5000); seed++) {
            Random random = new Random(seed);
            Path own = logs.resolve("seed " + seed);
            Path partition = Files.createDirectories(own.resolve("t-0"));
            List<Batch> written = new ArrayList<>();
            List<Long> bases = new ArrayList<>();
            long end = 100L + random.nextInt(10);
            double trouble = random.nextBoolean() ? 0 : random.nextDouble();
            for (int segment = 0; segment < 1 + random.nextInt(2); segment++) {
                // No two segments begin at the same offset.
                end = segment == 0 ? end : Math.max(end, bases.get(0) + 1);
                bases.add(end);
                for (int b = random.nextInt(12); b > 0; b--) {
                    Batch batch = Batch.of(segment, end, end + random.nextInt(4), random);
                    written.add(batch);
                    // As Kafka does: the end moves only where the append went well.
                    end = random.nextDouble() < trouble ? end : batch.last() + 1;
                }
            }
            byte[] torn = new byte[random.nextInt(20)];
            for (int segment = 0; segment < bases.size(); segment++) {
                ByteArrayOutputStream content = new ByteArrayOutputStream();
                content.write(bytes(written, segment));
                content.write(torn);
                Files.write(segment(partition, bases.get(segment), "log"), content.toByteArray());
                Files.createFile(segment(partition, bases.get(segment), "index"));
                Files.createFile(segment(partition, bases.get(segment), "timeindex"));
            }
            List<Batch> kept = new ArrayList<>();
            for (int i = 0; i < written.size(); i++) {
                Batch batch = written.get(i);
                if (written.subList(i + 1, written.size()).stream().noneMatch(next -> next.first() <= batch.last())) {
                    kept.add(batch);
                }
            }
            assertThat(PartitionLogs.repair(own)).as("seed %s", seed).isEqualTo(written.size() - kept.size());
            for (int s = 0; s < bases.size(); s++) {
                int segment = s;
                boolean whole = written.stream()
                        .filter(batch -> batch.segment() == segment)
                        .allMatch(kept::contains);
                byte[] left = Files.readAllBytes(segment(partition, bases.get(s), "log"));
                byte[] expected = bytes(kept, segment);
                byte[] all = Arrays.copyOf(expected, expected.length + (whole ? torn.length : 0));
                assertThat(left).as("seed %s segment %s", seed, segment).isEqualTo(all);
                // One that is not there is made anew.
                assertThat(Files.exists(segment(partition, bases.get(s), "index")))
                        .isEqualTo(whole);
                assertThat(Files.exists(segment(partition, bases.get(s), "timeindex")))
                        .isEqualTo(whole);
            }
            assertThat(PartitionLogs.repair(own)).as("seed %s again", seed).isZero();
        }
    }

    /** What a power failure leaves of the last batch shows nothing, whatever offset it seems to begin at. */
    @Test
    void aDamagedBatchTakesNothingOut() throws IOException {
        Random random = new Random(2);
        Path partition = Files.createDirectories(logs.resolve("t-0"));
        List<Batch> good = new ArrayList<>();
        for (long at = 100; at < 150; at++) {
            good.add(Batch.of(0, at, at, random));
        }
        for (int damage = 0; damage < 3; damage++) {
            Batch last = Batch.of(0, damage == 1 ? 0 : 120, 120, random);
            if (damage != 1) {
                last.bytes()[last.bytes().length - 1] ^= 1;
            }
            if (damage == 2) {
                ByteBuffer.wrap(last.bytes()).putInt(23, -5);
            }
            ByteArrayOutputStream content = new ByteArrayOutputStream();
            content.write(bytes(good, 0));
            content.write(last.bytes());
            Files.write(segment(partition, 100, "log"), content.toByteArray());
            assertThat(PartitionLogs.repair(logs)).isZero();
            assertThat(segment(partition, 100, "log")).hasBinaryContent(content.toByteArray());
        }
    }

    @Test
    void leavesAloneWhatIsNoPartition() throws IOException {
        Random random = new Random(1);
        List<Batch> twice = List.of(Batch.of(0, 0, 3, random), Batch.of(0, 0, 3, random));
        for (String name : List.of("__cluster_metadata-0", "t-0.abc-delete", "other")) {
            Path folder = Files.createDirectories(logs.resolve(name));
            Files.write(segment(folder, 0, "log"), bytes(twice, 0));
        }
        Files.createFile(logs.resolve("meta.properties"));
        assertThat(PartitionLogs.repair(logs)).isZero();
        assertThat(PartitionLogs.repair(logs.resolve("none"))).isZero();
    }
}
