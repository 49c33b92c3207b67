// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.failure.UnroutableException;
import io.safebunny.message.WireMessage;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Of messages on their way on one channel, to one exchange with one routing key, the broker returns the last one. */
@Timeout(60)
class ReturnedPublicationIT {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration WITH_RUNG = Duration.ofMillis(1 << 12);
    private static final Duration WITHOUT_RUNG = Duration.ofMillis(1 << 11);

    private final ProxiedPublisher publisher =
            new ProxiedPublisher(TestBroker.shared(), 1, Duration.ofSeconds(30)).start();

    @AfterEach
    void cleanUp() {
        publisher.deleteAll();
        publisher.onBroker(channel -> {
            for (String rung : new String[] {"11", "12"}) {
                channel.queueDelete(publisher.names.delayedExchange() + '.' + rung);
                channel.exchangeDelete(publisher.names.delayedExchange() + '.' + rung);
            }
        });
        publisher.close();
    }

    static Stream<Arguments> ids() {
        String long100 = "x".repeat(100);
        return Stream.of(
                Arguments.of(long100 + "-1", long100 + "-2"), // alike as far as a log shows them
                Arguments.of(null, null), // poison copies of junk
                Arguments.of("same", "same")); // two retries of a message without a store
    }

    @ParameterizedTest
    @MethodSource("ids")
    void failsTheOneThatWasReturned(@Nullable String firstId, @Nullable String secondId) {
        assertThat(publisher.send(delayed("warm-up-1", WITH_RUNG))).succeedsWithin(SOON);
        assertThat(publisher.send(delayed("warm-up-2", WITHOUT_RUNG))).succeedsWithin(SOON);
        publisher.onBroker(channel -> channel.queueDelete(publisher.names.delayedExchange() + ".11"));

        List<CompletableFuture<Void>> routed = new ArrayList<>(); // many, so that some wait for their confirm then
        for (int i = 0; i < 200; i++) {
            routed.add(publisher.send(delayed(firstId, WITH_RUNG)));
        }
        CompletableFuture<Void> returned = publisher.send(delayed(secondId, WITHOUT_RUNG));

        assertThat(returned)
                .failsWithin(SOON)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(UnroutableException.class);
        assertThat(routed).allSatisfy(sent -> assertThat(sent).succeedsWithin(SOON));
    }

    private OutboundMessage delayed(@Nullable String id, Duration delay) {
        return new OutboundMessage(
                new WireMessage(id, null, null, null, null, null, null, Map.of(), new byte[2]),
                new Route.ToQueue(publisher.queue),
                delay);
    }
}
