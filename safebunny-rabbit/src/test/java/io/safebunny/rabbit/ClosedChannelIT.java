// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.NackedException;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One publication makes the broker close the channel that others share: it ends, they arrive. */
@Timeout(120)
class ClosedChannelIT {

    private static final Duration SOON = Duration.ofSeconds(10);

    /** More than any series takes by default. */
    private static final int TOO_LARGE = (128 << 20) + 1;

    private static final String USER = "half-trusted";

    private final TestBroker broker = TestBroker.shared();
    private ProxiedPublisher publisher = new ProxiedPublisher(broker, 1, Duration.ofSeconds(30));
    private final List<CompletableFuture<Void>> neighbours = new ArrayList<>();

    @AfterEach
    void cleanUp() {
        publisher.deleteAll();
        publisher.close();
    }

    private void sendNeighbours(ConfirmedSender sender, int count) {
        for (int i = 0; i < count; i++) {
            neighbours.add(sender.send(publisher.message("neighbour-" + neighbours.size())));
        }
    }

    private void assertNeighboursArrive() {
        assertThat(neighbours).allSatisfy(future -> assertThat(future).succeedsWithin(SOON));
        List<String> ids = publisher.idsInQueue();
        for (int i = 0; i < neighbours.size(); i++) {
            assertThat(ids).contains("neighbour-" + i);
        }
    }

    private static void assertRefused(CompletableFuture<Void> sent, String id, String why) {
        assertThat(sent)
                .failsWithin(SOON)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(NackedException.class)
                .withMessageContaining("type=Ping")
                .withMessageContaining("id=" + id)
                .withMessageContaining("routingKey=")
                .withMessageContaining(why);
    }

    @Test
    void tooLargeForTheBrokerIsFinal() {
        ConfirmedSender sender = publisher.start().sender();
        sendNeighbours(sender, 50);
        CompletableFuture<Void> large = sender.send(
                publisher.message("large", new Route.ToQueue(publisher.queue), Map.of(), new byte[TOO_LARGE]));
        sendNeighbours(sender, 50);

        assertRefused(large, "large", "message size " + TOO_LARGE);
        assertNeighboursArrive();
    }

    @Test
    void aMissingExchangeIsDeclaredAgain() {
        ConfirmedSender sender = publisher.start().sender();
        sender.send(delayed("first")).await();
        publisher.onBroker(channel -> channel.exchangeDelete(publisher.names.laterExchange()));
        sendNeighbours(sender, 50);
        CompletableFuture<Void> second = sender.send(delayed("second"));
        sendNeighbours(sender, 50);

        assertThat(second).succeedsWithin(SOON);
        publisher.onBroker(channel -> assertThat(channel.exchangeDeclarePassive(publisher.names.laterExchange()))
                .isNotNull());
        assertNeighboursArrive();
    }

    private OutboundMessage delayed(String id) {
        return new OutboundMessage(
                publisher.message(id).message(), new Route.ToQueue(publisher.queue), Duration.ofMillis(1));
    }

    @Test
    void aMissingPermissionIsFinal() {
        assumeTrue(broker.isPrivate(), "Needs a broker whose users are the test's to change");
        Administration administration = new Administration(broker);
        administration.setPassword(USER, broker.password());
        administration.permit(USER, ".*");
        publisher.close();
        publisher = new ProxiedPublisher(
                        broker, broker.port(), client -> client.setUsername(USER), 1, Duration.ofSeconds(30))
                .start();
        administration.permit(USER, "^(?!.*later).*$");
        ConfirmedSender sender = publisher.sender();
        sendNeighbours(sender, 50);
        CompletableFuture<Void> refused = sender.send(delayed("refused"));
        sendNeighbours(sender, 50);

        assertRefused(refused, "refused", publisher.names.laterExchange());
        assertNeighboursArrive();
        administration.deleteUser(USER);
    }

    /** The client notices that itself, but then its numbering is off, so that the channel is of no more use. */
    @Test
    void whatCannotBeEncodedCostsNobodyAConfirm() {
        publisher.start();
        assertThat(publisher.send("warm-up")).succeedsWithin(SOON);
        publisher.proxy.stall();
        for (int i = 0; i < 100; i++) {
            neighbours.add(publisher.send("neighbour-" + i));
        }
        OutboundMessage message = publisher.message(
                "unwritable", new Route.ToQueue(publisher.queue), Map.of("header", "x".repeat(1 << 20)), new byte[2]);
        CompletableFuture<Void> unwritable =
                CompletableFuture.runAsync(() -> publisher.send(message).join(), publisher.threads);
        await().during(Duration.ofMillis(500)).until(() -> neighbours.stream().noneMatch(CompletableFuture::isDone));
        publisher.proxy.resume();

        assertThat(unwritable)
                .failsWithin(SOON)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(InvalidPublicationException.class);
        assertNeighboursArrive();
    }
}
