// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.bodies.BodyReference;
import io.safebunny.bodies.BodyStore;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.time.Timeline;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The contract of every {@link BodyStore}. Extend it and create yours. */
public abstract class BodyStoreContract {

    private static final Duration DAY = Duration.ofDays(1);
    private static final int PLENTY = 1_000;

    private final VirtualTimeline timeline = new VirtualTimeline();

    /**
     * An empty store, or one that only has bodies of other tests, which are younger than a day. Called once for each test.
     *
     * @param timeline its clock
     */
    protected abstract BodyStore store(Timeline timeline) throws Exception;

    private static byte[] body(int length, long seed) {
        byte[] body = new byte[length];
        new Random(seed).nextBytes(body);
        return body;
    }

    private static BodyReference reference(String id, byte[] body) {
        return new BodyReference("contract", id, BodyReference.sha256(body), body.length);
    }

    private static BodyReference put(BodyStore store, String id, byte[] body) throws IOException {
        BodyReference reference = reference(id, body);
        store.put(reference, body);
        return reference;
    }

    private static byte @Nullable [] read(BodyStore store, BodyReference reference) throws IOException {
        try (InputStream stream = store.open(reference)) {
            return stream == null ? null : stream.readAllBytes();
        }
    }

    @Test
    public void itsNameCanBeInAReference() throws Exception {
        BodyStore store = store(timeline);

        assertThat(BodyReference.isStoreName(store.name())).isTrue();
    }

    @Test
    public void givesWhatWasPut() throws Exception {
        BodyStore store = store(timeline);
        List<byte[]> bodies = List.of(new byte[0], new byte[1], body(300_000, 1), body(5_000_000, 2));
        List<BodyReference> references = new ArrayList<>();
        for (byte[] body : bodies) {
            references.add(put(store, "gives-" + body.length, body));
        }

        for (int i = 0; i < bodies.size(); i++) {
            assertThat(read(store, references.get(i))).isEqualTo(bodies.get(i));
        }
    }

    /** All characters that an id may have, in places where a path would have a meaning. */
    @Test
    public void takesEveryKey() throws Exception {
        BodyStore store = store(timeline);
        List<String> ids = List.of(
                "..",
                ".",
                "a:b",
                "C:",
                "-",
                "..-..",
                "CON",
                "AbcdefghijklmnopqrstuvwxyZ0123456789._:-",
                "x".repeat(128));
        List<BodyReference> references = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            references.add(put(store, ids.get(i), body(100, i)));
        }

        for (int i = 0; i < ids.size(); i++) {
            assertThat(read(store, references.get(i))).as(ids.get(i)).isEqualTo(body(100, i));
        }
    }

    @Test
    public void givesItAgainFromItsBeginning() throws Exception {
        BodyStore store = store(timeline);
        byte[] body = body(200_000, 3);
        BodyReference reference = put(store, "again", body);
        try (InputStream stream = Objects.requireNonNull(store.open(reference))) {
            assertThat(stream.readNBytes(1_000)).hasSize(1_000);
        }

        assertThat(read(store, reference)).isEqualTo(body);
        assertThat(read(store, reference)).isEqualTo(body);
    }

    @Test
    public void hasNothingThatWasNotPut() throws Exception {
        BodyStore store = store(timeline);
        BodyReference there = put(store, "there", body(100, 4));

        assertThat(read(store, reference("there", body(100, 5)))).isNull();
        assertThat(read(store, new BodyReference("contract", "other", there.sha256(), there.length())))
                .isNull();
        BodyReference colon = put(store, "its:own", body(100, 11));
        for (String other : List.of("its_own", "its-own", "its.own", "itsown")) {
            assertThat(read(store, new BodyReference("contract", other, colon.sha256(), colon.length())))
                    .as(other)
                    .isNull();
        }
    }

    /** Resends, retries and processes that were taken for dead put a body that is there. */
    @Test
    public void takesABodyThatIsThere() throws Exception {
        BodyStore store = store(timeline);
        byte[] body = body(100_000, 6);
        BodyReference reference = put(store, "twice", body);
        store.put(reference, body.clone());

        assertThat(read(store, reference)).isEqualTo(body);
    }

    @Test
    public void nobodySeesAPartOfABody() throws Exception {
        BodyStore store = store(timeline);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            for (int round = 0; round < 20; round++) {
                byte[] body = body(200_000, 100 + round);
                BodyReference reference = reference("parts-" + round, body);
                List<Future<Integer>> lengths = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    boolean writes = i < 2;
                    lengths.add(threads.submit(() -> {
                        if (writes) {
                            store.put(reference, body);
                        }
                        byte[] seen = read(store, reference);
                        return seen == null ? -1 : seen.length;
                    }));
                }
                for (int i = 0; i < 4; i++) {
                    if (i < 2) {
                        assertThat(lengths.get(i).get()).isEqualTo(body.length);
                    } else {
                        assertThat(lengths.get(i).get()).isIn(-1, body.length);
                    }
                }
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    public void deletesWhatIsOlderAndNothingElse() throws Exception {
        BodyStore store = store(timeline);
        byte[] body = body(100, 7);
        timeline.advance(DAY.multipliedBy(2));
        BodyReference old = put(store, "old", body);
        timeline.advance(Duration.ofHours(2));
        Instant limit = timeline.now().minus(Duration.ofHours(1));
        BodyReference young = put(store, "young", body);
        int deleted = 0;
        for (int some = PLENTY; some == PLENTY; ) { // also those of other tests
            some = store.deleteOlderThan(limit, PLENTY);
            deleted += some;
        }

        assertThat(deleted).isPositive();
        assertThat(read(store, old)).isNull();
        assertThat(read(store, young)).isEqualTo(body);
        assertThat(store.deleteOlderThan(limit, PLENTY)).isZero();
    }

    @Test
    public void deletesAsManyAsItMay() throws Exception {
        BodyStore store = store(timeline);
        List<BodyReference> references = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            references.add(put(store, "many-" + i, body(100, i)));
        }
        timeline.advance(DAY);

        assertThat(store.deleteOlderThan(timeline.now(), 2)).isEqualTo(2);
        int left = 0;
        for (BodyReference reference : references) {
            left += read(store, reference) == null ? 0 : 1;
        }
        assertThat(left).isGreaterThanOrEqualTo(3);
    }

    /** A message that is published again with the same body needs it for as long as a new one. */
    @Test
    public void whatIsPutAgainCountsAsPutNow() throws Exception {
        BodyStore store = store(timeline);
        byte[] body = body(100, 8);
        BodyReference reference = put(store, "renewed", body);
        timeline.advance(DAY);
        store.put(reference, body);
        while (store.deleteOlderThan(timeline.now().minus(Duration.ofHours(23)), PLENTY) == PLENTY) {
            // those of other tests
        }

        assertThat(read(store, reference)).isEqualTo(body);
    }
}
