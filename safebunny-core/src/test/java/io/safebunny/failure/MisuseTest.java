// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.RetryLaterException;
import io.safebunny.ThrottledException;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RetrySettings;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.serialization.json.Serializers;
import io.safebunny.topology.TopologyOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whoever calls the library wrongly is told so with a code. */
class MisuseTest {

    private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final Duration SECOND = Duration.ofSeconds(1);

    static Stream<Arguments> calls() {
        MemoryBroker broker = new MemoryBroker(VirtualTimeline.skipping(), Runnable::run);
        MemoryTransport transport = new MemoryTransport(broker, TopologyOptions.defaults());
        MemoryTransport closed = new MemoryTransport(broker, TopologyOptions.defaults());
        closed.close();
        return Stream.of(
                call("SB-5001", "PT-1S", () -> retryLater(SECOND.negated())),
                call("SB-5001", "365 days", () -> retryLater(FOREVER)),
                call("SB-5001", "PT0S", () -> throttled(Duration.ZERO)),
                call("SB-5001", "365 days", () -> throttled(FOREVER)),
                call(
                        "SB-5001",
                        "lease",
                        () -> made(SafeBunnyOptions.of("billing").withLease(Duration.ZERO))),
                call(
                        "SB-5001",
                        "retention",
                        () -> made(SafeBunnyOptions.of("billing").withRetention(SECOND.negated()))),
                call("SB-5001", "jitter", () -> made(RetryStrategy.none().withJitter(2))),
                call("SB-5001", "multiplier", () -> made(new RetrySettings(1, SECOND, 0, SECOND, 0))),
                call("SB-5001", "MessageSerializer", () -> made(new Serializers(List.of()))),
                call("SB-5001", "nowhere", () -> made(broker.depth("nowhere"))),
                call("SB-5001", "prefetch", () -> made(transport.consume("nowhere", 0, delivery -> {}))),
                call("SB-5005", "closed", () -> made(closed.consume("nowhere", 1, delivery -> {}))));
    }

    private static Arguments call(String code, String text, ThrowingCallable call) {
        return Arguments.arguments(code, text, call);
    }

    private static void retryLater(Duration delay) {
        throw new RetryLaterException(delay);
    }

    private static void throttled(Duration delay) {
        throw new ThrottledException(delay);
    }

    private static void made(Object nothing) {
        assertThat(nothing).as("not made").isNull();
    }

    @ParameterizedTest
    @MethodSource("calls")
    void isToldWithItsCode(String code, String text, ThrowingCallable call) {
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(call)
                .withMessageStartingWith(code + " ")
                .withMessageContaining(text);
    }

    @Test
    void ofTheTransportsInterfaceIsTold() {
        RecordingTransport transport = new RecordingTransport();
        transport.answerAll(message -> CompletableFuture.failedFuture(new IOException("checked")));
        SafeBunnyEngine engine = new SafeBunnyEngine(
                SafeBunnyParts.builder(SafeBunnyOptions.of("billing"), transport, VirtualTimeline.skipping())
                        .build());
        engine.start(List.of());

        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> engine.bunny().publish(new PaymentCaptured("1")))
                .withMessageStartingWith("SB-5006 ")
                .withMessageContaining(IOException.class.getName());
    }
}
