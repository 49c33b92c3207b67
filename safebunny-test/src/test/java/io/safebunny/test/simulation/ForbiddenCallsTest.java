// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.test.simulation.process.ForbiddenCalls;
import io.safebunny.test.simulation.run.Finding;
import io.safebunny.test.simulation.run.Schedule;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ForbiddenCallsTest {

    static Stream<Arguments> handlers() {
        return Stream.of(
                Arguments.of(new Dozing(), "Dozing.on", "Thread.sleep", "timeline().sleep()"),
                Arguments.of(new Resting(), "Resting.on", "TimeUnit.sleep", "timeline().sleep()"),
                Arguments.of(new Asking(), "Asking.on", "Instant.now", "node.timeline()"),
                Arguments.of(new Dating(), "Dating.on", "Date.<init>", "node.timeline()"),
                Arguments.of(new Clocking(), "Clocking.on", "Clock.systemUTC", "node.timeline()"),
                Arguments.of(new Counting(), "Counting.on", "System.currentTimeMillis", "node.timeline()"),
                Arguments.of(new Starting(), "Starting.on", "Thread.start", "do without"),
                Arguments.of(new Pooling(), "Pooling.on", "Executors.newCachedThreadPool", "do without"),
                Arguments.of(new Detaching(), "Detaching.on", "CompletableFuture.runAsync", "do without"),
                Arguments.of(new Inheriting(), "Asking.on", "Instant.now", "node.timeline()"),
                Arguments.of(new Delegating(), "Dozer.doze", "Thread.sleep", "timeline().sleep()"),
                Arguments.of(new Lazy(), "Lazy.on", "Instant.now", "node.timeline()"),
                Arguments.of(new Referring(), "Referring.on", "Instant.now", "node.timeline()"));
    }

    @ParameterizedTest
    @MethodSource("handlers")
    void areNamedWithTheirPlaceAndWhatToDo(Object handler, String place, String call, String action) {
        assertThat(ForbiddenCalls.in(handler))
                .contains(place + " (ForbiddenCallsTest.java:")
                .contains("calls " + call)
                .contains(action);
    }

    @Test
    void whatIsTheSameInEachRunIsNotForbidden() {
        assertThat(ForbiddenCalls.in(new Innocent())).isNull();
        assertThat(ForbiddenCalls.in(new Object())).isNull();
    }

    @Test
    void aSimulationTellsOfThemAtOnce() {
        Finding finding = Objects.requireNonNull(Simulation.of(system -> Orders.declare(system, node -> new Dozing()))
                .explore(1, 1));

        assertThat(finding.violation().invariant()).isEqualTo(Rules.SAME_IN_EACH_RUN);
        assertThat(finding.violation().details()).startsWith("billing: ").contains("Dozing.on");
        assertThat(finding.schedule()).isEqualTo(Schedule.CLEAN);
    }

    static final class Dozing {
        @io.safebunny.BunnyHandler(from = "storefront")
        void on(Orders.OrderPlaced placed) throws InterruptedException {
            Thread.sleep(1);
        }
    }

    static final class Resting {
        void on() throws InterruptedException {
            TimeUnit.SECONDS.sleep(1);
        }
    }

    static class Asking {
        Instant on() {
            return Instant.now();
        }
    }

    @SuppressWarnings("JavaUtilDate")
    static final class Dating {
        Date on() {
            return new Date();
        }
    }

    static final class Clocking {
        Clock on() {
            return Clock.systemUTC();
        }
    }

    static final class Counting {
        long on() {
            return System.currentTimeMillis();
        }
    }

    static final class Starting {
        void on(Thread thread) {
            thread.start();
        }
    }

    static final class Pooling {
        Object on() {
            return Executors.newCachedThreadPool();
        }
    }

    static final class Detaching {
        CompletableFuture<Void> on() {
            return CompletableFuture.runAsync(() -> {});
        }
    }

    static final class Inheriting extends Asking {}

    static final class Delegating {
        void on() throws InterruptedException {
            new Dozer().doze();
        }
    }

    static final class Dozer {
        void doze() throws InterruptedException {
            Thread.sleep(1);
        }

        Instant unused() {
            return Instant.now();
        }
    }

    static final class Lazy {
        Instant on(@Nullable Instant known) {
            return java.util.Optional.ofNullable(known).orElseGet(() -> Instant.now());
        }
    }

    static final class Referring {
        Instant on(@Nullable Instant known) {
            return java.util.Optional.ofNullable(known).orElseGet(Instant::now);
        }
    }

    @SuppressWarnings("JavaUtilDate")
    static final class Innocent {
        Object on(SimulatedNode node, List<String> list) {
            return List.of(
                    node.timeline().now(),
                    new Date(0),
                    Duration.ofSeconds(1),
                    UUID.nameUUIDFromBytes(new byte[0]),
                    list.stream().toList());
        }
    }
}
