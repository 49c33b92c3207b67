// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.crypto.Renewed.Held;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.encryption.KeysUnavailableException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RenewedTest {

    private static final Duration RENEWED_AFTER = Duration.ofMinutes(5);

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final AtomicInteger asked = new AtomicInteger();
    private final Renewed<Integer> renewed = new Renewed<>(this::renew, timeline);
    private boolean isAway;
    private @Nullable CountDownLatch blocked;

    private Held<Integer> renew(@Nullable Held<Integer> before) {
        int number = asked.incrementAndGet();
        if (blocked != null) {
            await(blocked);
        }
        if (isAway) {
            throw new KeysUnavailableException("The vault does not answer", null);
        }
        long now = timeline.nanoTime();
        return new Held<>(
                number,
                now,
                now + RENEWED_AFTER.toNanos(),
                now + RENEWED_AFTER.multipliedBy(2).toNanos());
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void isKeptUntilItsTimeAndThenAskedForOnce() {
        assertThat(renewed.get()).isEqualTo(1);
        timeline.advance(RENEWED_AFTER.minusNanos(1));
        assertThat(renewed.get()).isEqualTo(1);
        timeline.advance(Duration.ofNanos(1));
        assertThat(renewed.get()).isEqualTo(2);
        assertThat(renewed.get()).isEqualTo(2);
    }

    @Test
    void othersGoOnWithThePresentOneWhileOneThreadAsks() throws Exception {
        renewed.get();
        timeline.advance(RENEWED_AFTER);
        CountDownLatch slow = new CountDownLatch(1);
        blocked = slow;
        CompletableFuture<Integer> asking = CompletableFuture.supplyAsync(renewed::get);
        while (asked.get() < 2) {
            Thread.onSpinWait();
        }

        assertThat(renewed.get()).isEqualTo(1);
        slow.countDown();
        assertThat(asking.get(10, TimeUnit.SECONDS)).isEqualTo(2);
    }

    @Test
    void aServiceThatIsAwayIsAskedOnceASecondByThoseWhoHaveNothing() {
        isAway = true;
        for (int i = 0; i < 100; i++) {
            assertThatThrownBy(renewed::get)
                    .isInstanceOf(KeysUnavailableException.class)
                    .hasMessageContaining("The vault does not answer");
        }
        assertThat(asked).hasValue(1);

        isAway = false;
        timeline.advance(Renewed.ASKED_AGAIN_AFTER);
        assertThat(renewed.get()).isEqualTo(2);
    }
}
