// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.time.Deadline;
import io.safebunny.time.SystemTimeline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PlacesTest {

    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final SystemTimeline clock = new SystemTimeline("places");
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        threads.shutdownNow();
        clock.close();
    }

    private Deadline patience() {
        return Deadline.after(PATIENCE, timeline);
    }

    private Deadline ample() {
        return Deadline.after(Duration.ofMinutes(5), clock);
    }

    @Test
    void givesTheFirstFreePlaceToWhoeverHasNoKey() throws InterruptedException {
        Places places = new Places(3);

        assertThat(places.take(null, patience())).isZero();
        assertThat(places.take(null, patience())).isOne();
        places.leave(0);
        assertThat(places.take(null, patience())).isZero();
        assertThat(places.take(null, patience())).isEqualTo(2);
        assertThat(timeline.elapsed()).isZero();
    }

    @Test
    void givesAKeyAlwaysTheSamePlaceAndSpreadsKeys() throws InterruptedException {
        Places places = new Places(8);
        Map<Integer, Integer> keys = new HashMap<>();

        for (int i = 0; i < 800; i++) {
            int place = places.take("order-" + i, patience());
            places.leave(place);
            assertThat(places.take("order-" + i, patience())).isEqualTo(place);
            places.leave(place);
            keys.merge(place, 1, Integer::sum);
        }

        assertThat(keys).hasSize(8).allSatisfy((place, count) -> assertThat(count)
                .isBetween(50, 150));
    }

    @Test
    void aKeyWaitsForItsPlaceUntilTheDeadlineAndIsInTheWayOfNobody() throws InterruptedException {
        Places places = new Places(2);
        int hot = places.take("hot", patience());

        assertThat(places.take("hot", patience())).isEqualTo(Places.NONE);
        assertThat(timeline.elapsed()).isEqualTo(PATIENCE);
        assertThat(places.take(null, patience())).isEqualTo(1 - hot);
        places.leave(1 - hot);
        places.leave(hot);
        assertThat(places.take("hot", patience())).isEqualTo(hot);
        assertThat(timeline.elapsed()).isEqualTo(PATIENCE);
    }

    @Test
    void waitsNoLongerThanUntilItsPlaceIsLeft() throws InterruptedException {
        Places places = new Places(2);
        int hot = places.take("hot", patience());
        timeline.schedule(Duration.ofSeconds(1), () -> places.leave(hot));

        assertThat(places.take("hot", patience())).isEqualTo(hot);
        assertThat(timeline.elapsed()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void endsWhenInterrupted() {
        Thread.currentThread().interrupt();

        assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> new Places(1).take("key", patience()));
    }

    /** Whoever is interrupted while a place is offered to it passes it on. */
    @Test
    void anInterruptedThreadKeepsNoPlace() throws Exception {
        for (int round = 0; round < 300; round++) {
            Places places = new Places(1);
            places.take("key", ample());
            CompletableFuture<Integer> second = new CompletableFuture<>();
            Thread interrupted = waiting(places, "key", new CompletableFuture<>());
            Thread behind = waiting(places, "key", second);

            CompletableFuture<Void> left = CompletableFuture.runAsync(() -> places.leave(0), threads);
            interrupted.interrupt();

            left.get(10, TimeUnit.SECONDS);
            assertThat(second.get(10, TimeUnit.SECONDS)).as("round %s", round).isZero();
            interrupted.join();
            behind.join();
            assertThat(places.take("key", ample())).isZero();
        }
    }

    /** Whoever may take any place does not leave one free of which only they were told, and for which another one waits. */
    @Test
    void nobodyWaitsForAPlaceThatIsFree() throws Exception {
        String key = keyOfPlace(1);
        for (int round = 0; round < 300; round++) {
            Places places = new Places(2);
            places.take(null, ample());
            places.take(null, ample());
            CompletableFuture<Integer> second = new CompletableFuture<>();
            Thread any = waiting(places, null, new CompletableFuture<>());
            Thread keyed = waiting(places, key, second);

            places.leave(1);
            places.leave(0);

            assertThat(second.get(10, TimeUnit.SECONDS)).as("round %s", round).isOne();
            any.join();
            keyed.join();
        }
    }

    private String keyOfPlace(int wanted) throws InterruptedException {
        Places places = new Places(2);
        for (int i = 0; ; i++) {
            int place = places.take("key-" + i, patience());
            places.leave(place);
            if (place == wanted) {
                return "key-" + i;
            }
        }
    }

    /** A thread that waits for a place, and leaves it at once. */
    private Thread waiting(Places places, @Nullable String key, CompletableFuture<Integer> got) {
        Thread thread = new Thread(() -> {
            try {
                int place = places.take(key, ample());
                places.leave(place);
                got.complete(place);
            } catch (InterruptedException e) {
                got.completeExceptionally(e);
            }
        });
        thread.start();
        await().pollInterval(Duration.ofMillis(1)).until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        return thread;
    }

    /** Whoever takes a place again as soon as it is left keeps it from those who wait once, and no more. */
    @Test
    void isOvertakenOnceOnly() throws InterruptedException {
        Places places = new Places(1);
        List<Integer> hot = new ArrayList<>();
        places.take("hot", patience());
        Runnable leaveAndTakeAgain = () -> {
            places.leave(0);
            try {
                hot.add(places.take("hot", Deadline.after(Duration.ZERO, timeline)));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        };
        timeline.schedule(Duration.ofSeconds(1), leaveAndTakeAgain);
        timeline.schedule(Duration.ofSeconds(2), leaveAndTakeAgain);

        assertThat(places.take("other", patience())).isZero();
        assertThat(timeline.elapsed()).isEqualTo(Duration.ofSeconds(2));
        assertThat(hot).containsExactly(0, Places.NONE);
    }

    /**
     * Many more threads than places, with keys and without, some of which give up at once and some of which are interrupted: no place is
     * given twice, none is forgotten, nobody waits in vain.
     */
    @Test
    @SuppressWarnings("ThreadPriorityCheck") // yielding only makes threads meet more often
    void losesNoneAndWakesAll() throws Exception {
        int count = 3;
        int many = 12;
        int each = 3_000;
        Places places = new Places(count);
        AtomicIntegerArray held = new AtomicIntegerArray(count);
        List<String> wrong = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch done = new CountDownLatch(many);
        for (int i = 0; i < many; i++) {
            @Nullable String key = i % 3 == 0 ? null : "key-" + i;
            threads.execute(() -> {
                for (int n = 0; n < each; n++) {
                    boolean hasty = n % 7 == 0;
                    if (n % 11 == 0) {
                        Thread.currentThread().interrupt();
                    }
                    try {
                        int place = places.take(key, hasty ? Deadline.after(Duration.ofNanos(20_000), clock) : ample());
                        if (place == Places.NONE) {
                            if (!hasty) {
                                wrong.add("waited in vain");
                            }
                            continue;
                        }
                        if (held.incrementAndGet(place) > 1) {
                            wrong.add("given twice: " + place);
                        }
                        Thread.yield(); // so that others come while it is held
                        held.decrementAndGet(place);
                        places.leave(place);
                    } catch (InterruptedException e) {
                        // the next turn is another one
                    }
                }
                done.countDown();
            });
        }

        assertThat(done.await(40, TimeUnit.SECONDS))
                .as("nobody waits who was not woken")
                .isTrue();
        assertThat(wrong).isEmpty();
        Deadline over = Deadline.after(Duration.ZERO, clock);
        for (int i = 0; i < count; i++) {
            assertThat(places.take(null, over)).isEqualTo(i);
        }
        assertThat(places.take(null, over)).isEqualTo(Places.NONE);
    }
}
