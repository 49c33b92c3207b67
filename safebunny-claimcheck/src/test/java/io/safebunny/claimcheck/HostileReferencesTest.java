// SPDX-License-Identifier: Apache-2.0
package io.safebunny.claimcheck;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.bodies.BodyReference;
import io.safebunny.bodies.BodyStore;
import io.safebunny.bodies.MissingBodyException;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.message.Envelope;
import io.safebunny.message.EnvelopeReader;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.WireMessage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ten thousand references that somebody made who may publish, and knows the bodies of others. */
class HostileReferencesTest {

    private static final int FORGERIES = 10_000;
    private static final int OTHERS = 20;

    @TempDir
    private @Nullable Path temporary;

    private final VirtualTimeline timeline = new VirtualTimeline();
    private final Random random = new Random(52);
    private final List<BodyReference> opened = new ArrayList<>();
    private final List<BodyReference> others = new ArrayList<>();

    /** Remembers what it is asked for. */
    private final class Watched implements BodyStore {
        private final BodyStore files;

        Watched(BodyStore files) {
            this.files = files;
        }

        @Override
        public String name() {
            return files.name();
        }

        @Override
        public void put(BodyReference reference, byte[] body) throws IOException {
            files.put(reference, body);
        }

        @Override
        public @Nullable InputStream open(BodyReference reference) throws IOException {
            opened.add(reference);
            return files.open(reference);
        }

        @Override
        public int deleteOlderThan(Instant limit, int most) throws IOException {
            return files.deleteOlderThan(limit, most);
        }
    }

    private <T> T one(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    private String path(BodyReference other) {
        String secret = Objects.requireNonNull(temporary).resolve("secret").toString();
        return one(List.of(
                "../secret",
                "../../../../../../../../etc/passwd",
                secret,
                "file://" + secret,
                "http://169.254.169.254/latest/meta-data",
                other.sha256().substring(0, 2) + "/" + other.key(),
                "./" + other.key(),
                other.key() + "/../../secret",
                "..\\secret",
                "%2e%2e%2fsecret",
                "*",
                "safebunny-bodies",
                "\u0000",
                ""));
    }

    private @Nullable Object claim(BodyReference other, String id, String sha256) {
        String store = one(List.of("files", "files", "files", "jdbc", "Files", "", "..", "files:files"));
        String key = one(List.of(other.key(), path(other), id + "-" + sha256, other.messageId() + "-" + sha256));
        return random.nextInt(20) == 0 ? one(List.of(7, true, 1.5)) : store + ":" + key;
    }

    private Object sha256(BodyReference other) {
        return one(List.of(
                other.sha256(),
                other.sha256(),
                other.sha256().toUpperCase(Locale.ROOT),
                "../../secret".repeat(6).substring(0, 64),
                BodyReference.sha256(new byte[0]),
                "",
                12));
    }

    private Object length(BodyReference other) {
        return one(List.of(
                other.length(),
                other.length(),
                -1L,
                Long.MIN_VALUE,
                Long.MAX_VALUE,
                0,
                other.length() - 1,
                other.length() + 1,
                "10",
                2.5));
    }

    private Envelope forged(int number) {
        BodyReference other = one(others);
        String id = one(List.of("mine-" + number, "..", ".", "C:", "-", "a".repeat(128)));
        Object sha256 = sha256(other);
        Map<String, Object> headers = new LinkedHashMap<>();
        Object claim = claim(other, id, String.valueOf(sha256));
        headers.put("sb-claim", claim);
        headers.put("sb-claim-sha256", sha256);
        headers.put("sb-claim-length", length(other));
        return EnvelopeReader.read(new WireMessage(
                id, "someone", "Scanned", "scanner", null, "application/json", null, headers, new byte[0]));
    }

    @Test
    void noneOfThemReadsWhatIsNotItsOwn() throws IOException {
        Path folder = Objects.requireNonNull(temporary).resolve("bodies");
        Files.writeString(folder.resolveSibling("secret"), "secret");
        Watched store = new Watched(new FileBodyStore(folder, timeline));
        StoringClaimCheck claimCheck = new StoringClaimCheck(
                List.of(store), null, 10, Duration.ofDays(1), timeline, new BodyMeters(new SimpleMeterRegistry()));
        for (int i = 0; i < OTHERS; i++) {
            byte[] body = ("the body of another message " + i).getBytes(UTF_8);
            BodyReference reference =
                    new BodyReference("files", "theirs-" + i, BodyReference.sha256(body), body.length);
            store.put(reference, body);
            others.add(reference);
        }
        int refused = 0;
        int missing = 0;
        int read = 0;
        for (int i = 0; i < FORGERIES; i++) {
            Envelope forged = forged(i);
            int before = opened.size();
            try {
                read += claimCheck.fetch(forged, 1_000_000).body().length;
            } catch (InvalidMessageException e) {
                refused++;
            } catch (MissingBodyException e) {
                if (opened.size() == before) { // in a store that is not here
                    refused++;
                } else { // a name of its own, under which there is nothing
                    missing++;
                    assertThat(opened).hasSize(before + 1);
                    assertThat(opened.get(before).messageId()).isEqualTo(forged.id());
                }
            }
        }

        assertThat(read).isZero();
        assertThat(refused + missing).isEqualTo(FORGERIES);
        assertThat(refused).isGreaterThan(FORGERIES / 2);
        assertThat(opened).hasSize(missing).noneMatch(reference -> others.contains(reference));
    }
}
