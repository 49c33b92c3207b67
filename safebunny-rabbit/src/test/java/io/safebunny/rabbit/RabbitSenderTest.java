// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.NackedException;
import io.safebunny.failure.UnroutableException;
import io.safebunny.node.TopologyPlanner;
import io.safebunny.rabbit.connection.ConnectionKeeper;
import io.safebunny.rabbit.publish.FakeBroker;
import io.safebunny.rabbit.publish.FakeBroker.FakeChannel;
import io.safebunny.rabbit.publish.FakeBroker.Published;
import io.safebunny.rabbit.publish.PublisherPool;
import io.safebunny.rabbit.topology.DeclaredTopology;
import io.safebunny.rabbit.topology.DelayChoice;
import io.safebunny.rabbit.topology.DelayStrategy;
import io.safebunny.time.Deadline;
import io.safebunny.topology.Subscription;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the broker answers is missing is declared again by the next message that may declare it. */
@Timeout(30)
class RabbitSenderTest {

    private static final String QUEUE = "billing-OrderPlaced";
    private static final String POISON = "billing-poison";
    /** Of the only queue in which a message of {@link #ONE_RUNG} waits. */
    private static final String RUNG = "safebunny.delayed.10";

    private static final Duration ONE_RUNG = Duration.ofMillis(1_024);

    private static final OutboundMessage PUBLICATION = message(new Route.ToSubscribers("orders-Job"), Duration.ZERO);
    private static final OutboundMessage TO_QUEUE = message(new Route.ToQueue(QUEUE), Duration.ZERO);
    private static final OutboundMessage RETRY = message(new Route.ToQueue(QUEUE), ONE_RUNG);

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final FakeBroker broker = new FakeBroker();
    private final DeclaredTopology declared = new DeclaredTopology(new DelayChoice(DelayStrategy.LADDER));
    private final ConnectionKeeper keeper =
            new ConnectionKeeper("publish", broker.factory(), timeline, Runnable::run, declared::declareForPublishing);
    private final RabbitSender sender = new RabbitSender(
            new PublisherPool(keeper, declared::declareForPublishing, timeline, 1),
            keeper,
            declared,
            () -> "svc-billing");

    @BeforeEach
    void connect() {
        declared.plan(TopologyPlanner.plan(
                "billing", List.of(new Subscription("OrderPlaced", List.of("orders"))), TopologyOptions.defaults()));
        keeper.start("billing");
    }

    @AfterEach
    void close() {
        keeper.close();
    }

    private static OutboundMessage message(Route route, Duration delay) {
        return new OutboundMessage(FakeBroker.ORDER_PLACED, route, delay);
    }

    private CompletableFuture<Void> send(OutboundMessage message) {
        return sender.send(message, Deadline.after(Duration.ofSeconds(5), timeline));
    }

    /** What is declared while the message is sent, which the broker routes and confirms. */
    private List<String> declaredBySending(OutboundMessage message) {
        int before = broker.connection().declared().size();
        CompletableFuture<Void> sent = send(message);
        List<String> all = broker.connection().declared();
        publishing().ack(last().number(), false);
        assertThat(sent).isCompleted();
        return all.subList(before, all.size());
    }

    private static Throwable failure(CompletableFuture<Void> sent) {
        assertThat(sent).isCompletedExceptionally();
        return sent.handle((none, failure) -> failure).join();
    }

    private FakeChannel publishing() {
        List<FakeChannel> used = broker.connection().channels.stream()
                .filter(channel -> !channel.published.isEmpty())
                .toList();
        return used.get(used.size() - 1);
    }

    private Published last() {
        List<Published> published = publishing().published;
        return published.get(published.size() - 1);
    }

    /** The broker finds no queue for it. */
    private void sendInVain(OutboundMessage message) {
        CompletableFuture<Void> sent = send(message);
        publishing().giveBack(last(), last().properties());
        publishing().ack(last().number(), false);
        assertThat(failure(sent)).isInstanceOf(UnroutableException.class);
    }

    static List<OutboundMessage> own() {
        return List.of(
                TO_QUEUE,
                message(new Route.Poison("billing"), Duration.ZERO),
                RETRY,
                message(new Route.ToSubscribers("orders-Job"), ONE_RUNG));
    }

    @ParameterizedTest
    @MethodSource("own")
    void declaresOnceWhenAMessageOfItsOwnFoundNoQueue(OutboundMessage own) {
        assertThat(declaredBySending(TO_QUEUE)).as("all is there").isEmpty();
        int before = broker.connection().declared().size();
        sendInVain(own);
        List<String> rungs = own.delay().isZero() ? List.of() : List.of(RUNG, RUNG);
        assertThat(broker.connection().declared().subList(before, before + rungs.size()))
                .as("the exchange and the queue that are new")
                .isEqualTo(rungs);
        assertThat(broker.connection().declared().stream().skip(before)).doesNotContain(QUEUE, POISON);

        assertThat(declaredBySending(TO_QUEUE)).contains(QUEUE, POISON, "safebunny.own");
        assertThat(declaredBySending(TO_QUEUE)).as("once").isEmpty();
    }

    @Test
    void declaresTheQueuesOfDelaysAgainToo() {
        assertThat(declaredBySending(RETRY)).contains(RUNG);
        assertThat(declaredBySending(RETRY)).isEmpty();
        sendInVain(RETRY);

        assertThat(declaredBySending(RETRY)).containsSubsequence(QUEUE, RUNG);
        assertThat(declaredBySending(RETRY)).isEmpty();
    }

    /** By a key that a user may write who was permitted to write to the queues of types, and under no user's name. */
    @Test
    void discardsLikeAMessageToATypeOfItsOwn() {
        OutboundMessage discarded = message(new Route.ToQueue("billing-poison-archive"), Duration.ZERO);
        assertThat(declaredBySending(TO_QUEUE)).isEmpty();
        assertThat(last().properties().getUserId()).isEqualTo("svc-billing");

        assertThat(declaredBySending(discarded)).isEmpty();

        assertThat(last().exchange()).isEqualTo("safebunny.own");
        assertThat(last().routingKey()).isEqualTo("billing-BunnyArchive");
        assertThat(last().properties().getUserId()).isNull();
    }

    /** Their queues are for those to declare who consume them. */
    @Test
    void declaresNothingForPublications() {
        sendInVain(PUBLICATION);
        assertThat(declaredBySending(TO_QUEUE)).isEmpty();

        sendInVain(TO_QUEUE);
        assertThat(declaredBySending(PUBLICATION)).isEmpty();
        assertThat(declaredBySending(TO_QUEUE)).as("still missing").contains(QUEUE);
    }

    @Test
    void declaresNothingWhenAMessageIsRefusedOtherwise() {
        CompletableFuture<Void> sent = send(TO_QUEUE);
        publishing().nack(last().number(), false);
        assertThat(failure(sent)).isInstanceOf(NackedException.class);

        assertThat(declaredBySending(TO_QUEUE)).isEmpty();
    }

    @Test
    void asksAgainWhenItCouldNotDeclare() {
        sendInVain(TO_QUEUE);
        broker.connection().opensNoChannel = true;
        assertThat(failure(send(TO_QUEUE)))
                .isInstanceOf(ConnectionLostException.class)
                .hasMessageContaining("no answer");

        broker.connection().opensNoChannel = false;
        sendInVain(TO_QUEUE);
        assertThat(declaredBySending(TO_QUEUE)).contains(QUEUE);
    }

    /** The broker closes the channel over it, so that even a publication declares its exchange again, and what else is gone with it. */
    @Test
    void declaresAgainWhenAnExchangeIsMissing() {
        assertThat(declaredBySending(RETRY)).contains(RUNG);
        CompletableFuture<Void> sent = send(PUBLICATION);
        publishing()
                .close(FakeBroker.channelClosed(AMQP.NOT_FOUND, "NOT_FOUND - no exchange 'safebunny' in vhost '/'"));
        assertThat(failure(sent)).isInstanceOf(ConnectionLostException.class);

        assertThat(declaredBySending(PUBLICATION)).contains("safebunny", QUEUE);
        assertThat(declaredBySending(RETRY)).contains(RUNG);
        assertThat(declaredBySending(PUBLICATION)).isEmpty();
    }
}
