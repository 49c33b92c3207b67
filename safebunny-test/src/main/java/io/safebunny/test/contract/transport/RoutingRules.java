// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.transport;

import static io.safebunny.test.contract.Messages.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.UnroutableException;
import io.safebunny.topology.Topology;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.Route;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Where messages are routed, and what their sender learns. */
interface RoutingRules {

    TransportBench bench();

    @Test
    default void deliversToEveryNodeBoundToThePublishingNodesKeyAndOnlyToThem() {
        TestNode orders = bench().publisher("orders");
        TestNode storefront = bench().publisher("storefront");
        Inbox billing = bench().subscriber("billing", orders).consume();
        Inbox shipping = bench().subscriber("shipping", orders).consume();
        Inbox audit = bench().subscriber("audit", storefront).consume();
        Inbox all = bench().subscriber("all", orders, storefront).consume();

        orders.publish(message("from-orders"));
        storefront.publish(message("from-storefront"));

        billing.awaitIds("from-orders");
        shipping.awaitIds("from-orders");
        all.awaitIdsInAnyOrder("from-orders", "from-storefront");
        audit.awaitIds("from-storefront"); // this one was confirmed last, so the other message would have come before
    }

    @Test
    default void handsEachMessageToExactlyOneOfTwoInstances() {
        TestNode orders = bench().publisher("orders");
        TestNode billing = bench().subscriber("billing", orders);
        Inbox first = billing.consume();
        Inbox second = bench().instanceOf(billing).consume();
        String[] ids = IntStream.range(0, 40).mapToObj(i -> "message-" + i).toArray(String[]::new);

        for (String id : ids) {
            orders.publish(message(id));
        }

        bench().await().untilAsserted(() -> {
            List<String> both = new ArrayList<>(first.ids());
            both.addAll(second.ids());
            assertThat(both).containsExactlyInAnyOrder(ids);
        });
    }

    @Test
    default void tellsWhereAMessageCameFrom() {
        TestNode orders = bench().publisher("orders");
        TestNode billing = bench().subscriber("billing", orders);
        Inbox inbox = billing.consume();

        orders.publish(message("known"));

        IncomingMessage incoming = inbox.awaitOne();
        assertThat(incoming.queue()).isEqualTo(billing.queue());
        assertThat(incoming.exchange()).isEqualTo(billing.topology().options().mainExchange());
        assertThat(incoming.routingKey()).isEqualTo(orders.publication().routingKey());
        assertThat(incoming.redelivered()).isFalse();
    }

    @Test
    default void keepsMessagesWhileNobodyConsumes() {
        TestNode orders = bench().publisher("orders");
        TestNode billing = bench().subscriber("billing", orders);

        orders.publish(message("waiting"));
        billing.transport().close();

        bench().instanceOf(billing).consume().awaitIds("waiting");
    }

    @Test
    default void keepsTheOrderForOneConsumerWithPrefetchOne() {
        TestNode orders = bench().publisher("orders");
        Inbox inbox = bench().subscriber("billing", orders).consume(1, Delivery::acknowledge);
        String[] ids = IntStream.range(0, 30).mapToObj(i -> "message-" + i).toArray(String[]::new);

        for (String id : ids) {
            orders.publish(message(id));
        }

        inbox.awaitIds(ids);
    }

    @Test
    default void failsAPublicationNoQueueIsBoundFor() {
        TestNode orders = bench().publisher("orders");
        TestNode storefront = bench().publisher("storefront");
        bench().subscriber("billing", storefront);

        bench().awaitFailure(orders.send(orders.publication(), message("nowhere")), UnroutableException.class);
    }

    @Test
    default void failsAMessageToAMissingQueue() {
        TestNode orders = bench().publisher("orders");
        Route missing = new Route.ToQueue(orders.queue());
        Route missingPoison = new Route.Poison(orders.name());
        Route missingArchive = new Route.ToQueue(Topology.archiveOf(orders.name()));

        bench().awaitFailure(orders.send(missing, message("nowhere")), UnroutableException.class);
        bench().awaitFailure(orders.send(missingPoison, message("nowhere")), UnroutableException.class);
        bench().awaitFailure(orders.send(missingArchive, message("nowhere")), UnroutableException.class);
    }

    @Test
    default void keepsWhatIsDiscardedInTheArchiveAndOnlyThere() {
        TestNode orders = bench().publisher("orders");
        TestNode billing = bench().subscriber("billing", orders);
        String archive = Topology.archiveOf(billing.name());
        Inbox poison = billing.consume(billing.topology().poisonQueue(), 1, Delivery::acknowledge);

        bench().awaitSuccess(billing.send(new Route.ToQueue(archive), message("discarded")));
        bench().awaitSuccess(billing.send(new Route.Poison(billing.name()), message("set-aside")));

        billing.consume(archive, 1, Delivery::acknowledge).awaitIds("discarded");
        poison.awaitIds("set-aside");
    }

    @Test
    default void refusesToSendAfterClose() {
        TestNode orders = bench().publisher("orders");
        bench().subscriber("billing", orders);

        orders.transport().close();

        bench().awaitFailure(orders.send(orders.publication(), message("late")), ConnectionLostException.class);
    }

    @Test
    default void deliversEveryMessageOfConcurrentSendersExactlyOnce() {
        int senders = 8;
        int each = 250;
        TestNode orders = bench().publisher("orders");
        Inbox inbox = bench().subscriber("billing", orders).consume(20, Delivery::acknowledge);
        Queue<CompletableFuture<Void>> confirms = new ConcurrentLinkedQueue<>();

        List<Thread> threads = IntStream.range(0, senders)
                .mapToObj(sender -> new Thread(() -> IntStream.range(0, each)
                        .forEach(i -> confirms.add(
                                orders.send(orders.publication(), message("sender-" + sender + "-" + i))))))
                .toList();
        threads.forEach(Thread::start);

        bench().await().atMost(bench().patience().multipliedBy(2)).until(() -> confirms.size() == senders * each);
        confirms.forEach(bench()::awaitSuccess);
        bench().await()
                .atMost(bench().patience().multipliedBy(2))
                .until(() -> inbox.ids().size() >= senders * each);
        assertThat(new HashSet<>(inbox.ids())).hasSize(senders * each).hasSameSizeAs(inbox.ids());
    }
}
