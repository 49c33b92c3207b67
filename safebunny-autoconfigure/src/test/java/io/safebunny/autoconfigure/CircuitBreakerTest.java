// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.BunnyCircuitBreaker;
import io.safebunny.BunnyCircuitBreaker.Change;
import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.BunnyHandler;
import io.safebunny.ThrottledException;
import io.safebunny.autoconfigure.properties.CircuitBreakerProperties;
import io.safebunny.breaker.BreakerSettings;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.event.EventListener;

class CircuitBreakerTest {

    record Charge(int cents) {}

    record Mail(String to) {}

    /** Throttled once, and told of what the breaker does. */
    static class Payments {
        final AtomicInteger calls = new AtomicInteger();
        final AtomicInteger mails = new AtomicInteger();
        final Queue<Change> changes = new ConcurrentLinkedQueue<>();

        @BunnyHandler(from = "shop")
        void on(Charge charge) {
            if (calls.incrementAndGet() == 1) {
                throw new ThrottledException(Duration.ofMillis(300));
            }
        }

        @BunnyHandler(from = "shop")
        void on(Mail mail) {
            mails.incrementAndGet();
        }

        @EventListener
        void on(Change change) {
            changes.add(change);
        }
    }

    @Test
    void pausesAThrottledTypeTellsOfItAndResumesByItself() {
        Nodes.memory().withBean(Payments.class).run(context -> {
            Payments payments = context.getBean(Payments.class);
            Bunny bunny = context.getBean(Bunny.class);

            bunny.publish(new Charge(1));
            await().until(() -> payments.changes.stream().anyMatch(change -> change.to() == State.OPEN));
            bunny.publish(new Mail("somebody"));
            await().until(() -> payments.mails.get() == 1);
            await().until(() -> payments.calls.get() == 2);
            assertThat(payments.changes).extracting(Change::to).startsWith(State.OPEN, State.HALF_OPEN);
            Health now = Healths.part(context, "breakers");
            assertThat(now.getStatus()).isEqualTo(new Status("DEGRADED"));
            assertThat(now.getDetails())
                    .containsOnlyKeys("Charge")
                    .asString()
                    .startsWith("{Charge=HALF_OPEN (the pause is over: a handler is throttled); the last failure was ")
                    .contains("ThrottledException: SB-3006");

            bunny.publish(new Charge(2));
            bunny.publish(new Charge(3));
            await().untilAsserted(() ->
                    assertThat(payments.changes).extracting(Change::to).contains(State.CLOSED));
            assertThat(Healths.part(context, "breakers").getStatus()).isEqualTo(Status.UP);
            assertThat(payments.calls).hasValue(4);
        });
    }

    @Test
    void resumesNothingWhenTheContextEnds() {
        BunnyCircuitBreaker[] breaker = new BunnyCircuitBreaker[1];

        Nodes.memory().withBean(Payments.class).run(context -> {
            breaker[0] = context.getBean(BunnyCircuitBreaker.class);
            breaker[0].open(Duration.ofHours(1));
        });

        assertThat(breaker[0].states()).containsOnly(Map.entry("Charge", State.OPEN), Map.entry("Mail", State.OPEN));
    }

    @Test
    void hasTheDocumentedDefaults() {
        Nodes.memory().run(context -> {
            assertThat(context.getBean(CircuitBreakerProperties.class).toSettings())
                    .isEqualTo(BreakerSettings.defaults());
            assertThat(context).hasSingleBean(BunnyCircuitBreaker.class);
        });
    }

    @Test
    void refusesAMinimumAboveTheWindow() {
        Nodes.memory()
                .withPropertyValues("safebunny.circuit-breaker.minimum-number-of-calls=101")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("safebunny.circuit-breaker.minimum-number-of-calls=101"));
    }
}
