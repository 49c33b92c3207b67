// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.orders;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.benchmarks.broker.BenchBroker;
import io.safebunny.benchmarks.broker.BenchNode;
import io.safebunny.benchmarks.database.FreshDatabase;
import io.safebunny.failure.policy.RetrySettings;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefaults;
import io.safebunny.handler.scanning.HandlerScanner;
import io.safebunny.handler.scanning.SagaScanner;
import io.safebunny.jdbc.store.JdbcStoreOptions;
import io.safebunny.jdbc.store.TransactionalJdbcMessageStore;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaFailed;
import io.safebunny.saga.Starts;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * A saga with state and its participants, two nodes on RabbitMQ; both handle each message in one transaction with its record. The
 * storefront, which begins the sagas, is a third node.
 */
final class SafeBunnyOrders implements OrderPeer {

    private static final int PREFETCH = 10;
    private static final String STOREFRONT = "order-storefront";
    private static final String ORDERS = "order-orders";
    private static final String SHOP = "order-shop";

    private static final HandlerDefaults DEFAULTS = new HandlerDefaults(
            PREFETCH, new RetrySettings(0, Duration.ZERO, 1, Duration.ZERO, 0), RetryStrategy.none());

    private final Deque<BenchNode> nodes = new ArrayDeque<>();
    private final Bunny storefront;
    private volatile Consumer<String> end = order -> {};

    /** @param connections of each node's pool */
    SafeBunnyOrders(BenchBroker broker, FreshDatabase database, int connections) {
        DataSource ofShop = database.pool(connections);
        DataSource ofOrders = database.pool(connections);
        database.createTables();
        BenchNode shop = node(broker, SHOP, ofShop, connections);
        start(shop, new Shop(new Effects(ofShop), shop.bunny()));
        start(node(broker, ORDERS, ofOrders, connections), new OrderSaga(order -> end.accept(order)));
        BenchNode front = BenchNode.withoutStore(broker, STOREFRONT);
        nodes.push(front);
        start(front, new Storefront(order -> end.accept(order)));
        storefront = front.bunny();
    }

    private BenchNode node(BenchBroker broker, String name, DataSource pool, int connections) {
        BenchNode node = BenchNode.withStore(
                broker,
                name,
                timeline -> new TransactionalJdbcMessageStore(
                        pool,
                        new JdbcTransactionManager(pool),
                        JdbcStoreOptions.of(name, Duration.ofDays(7)),
                        TransactionalJdbcMessageStore.handledAtOnce(connections)));
        nodes.push(node);
        return node;
    }

    private static void start(BenchNode node, Object handlers) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerSingleton(handlers.getClass().getSimpleName(), handlers);
        node.start(new HandlerScanner(beans, DEFAULTS).handlers(), new SagaScanner(beans, DEFAULTS, null).sagas());
    }

    @Override
    public void begin(String order) {
        Published unused =
                storefront.publish(new PlaceOrder(order), PublishOptions.none().withCorrelationId(order));
    }

    @Override
    public void onEnd(Consumer<String> newEnd) {
        end = newEnd;
    }

    @Override
    public void close() {
        nodes.forEach(BenchNode::close);
    }

    record PlaceOrder(String order) {}

    record Reserve(String order) {}

    record Release(String order) {}

    record Reserved(String order) {}

    record Charge(String order) {}

    record Refund(String order) {}

    record Charged(String order) {}

    record Pack(String order) {}

    record Unpack(String order) {}

    record Packed(String order) {}

    record Ship(String order) {}

    record Shipped(String order) {}

    record Refused(String order) {}

    /** Learns which sagas have been undone. */
    static final class Storefront {

        private final Consumer<String> end;

        Storefront(Consumer<String> end) {
            this.end = end;
        }

        @BunnyHandler(from = ORDERS)
        void on(SagaFailed failed) {
            end.accept(failed.sagaId());
        }
    }

    /** Sends the commands, one after the other. */
    @BunnySaga
    static final class OrderSaga {

        record State(String order) {}

        private final Consumer<String> end;

        OrderSaga(Consumer<String> end) {
            this.end = end;
        }

        @Starts
        @BunnyHandler(from = STOREFRONT)
        State on(PlaceOrder placed, SagaContext saga) {
            saga.step("reserve", new Reserve(placed.order()), new Release(placed.order()));
            return new State(placed.order());
        }

        @BunnyHandler(from = SHOP)
        void on(Reserved reserved, State state, SagaContext saga) {
            saga.step("charge", new Charge(state.order()), new Refund(state.order()));
        }

        @BunnyHandler(from = SHOP)
        void on(Charged charged, State state, SagaContext saga) {
            saga.step("pack", new Pack(state.order()), new Unpack(state.order()));
        }

        @BunnyHandler(from = SHOP)
        void on(Packed packed, State state, SagaContext saga) {
            saga.step("ship", new Ship(state.order()));
        }

        @BunnyHandler(from = SHOP)
        void on(Shipped shipped, SagaContext saga) {
            saga.complete();
            end.accept(shipped.order());
        }

        @BunnyHandler(from = SHOP)
        void on(Refused refused, SagaContext saga) {
            saga.forget("ship");
            saga.fail("refused");
        }
    }

    /** Carries the commands out, and undoes them. */
    static final class Shop {

        private final Effects effects;
        private final Bunny bunny;

        Shop(Effects effects, Bunny bunny) {
            this.effects = effects;
            this.bunny = bunny;
        }

        @BunnyHandler(from = ORDERS)
        void on(Reserve command) {
            effects.perform(command.order(), 1);
            answer(new Reserved(command.order()));
        }

        @BunnyHandler(from = ORDERS)
        void on(Charge command) {
            effects.perform(command.order(), 2);
            answer(new Charged(command.order()));
        }

        @BunnyHandler(from = ORDERS)
        void on(Pack command) {
            effects.perform(command.order(), 3);
            answer(new Packed(command.order()));
        }

        @BunnyHandler(from = ORDERS)
        void on(Ship command) {
            if (Order.isRefused(command.order())) {
                answer(new Refused(command.order()));
                return;
            }
            effects.perform(command.order(), 4);
            answer(new Shipped(command.order()));
        }

        @BunnyHandler(from = ORDERS)
        void on(Unpack undo) {
            effects.undo(undo.order(), 3);
        }

        @BunnyHandler(from = ORDERS)
        void on(Refund undo) {
            effects.undo(undo.order(), 2);
        }

        @BunnyHandler(from = ORDERS)
        void on(Release undo) {
            effects.undo(undo.order(), 1);
        }

        private void answer(Object answer) {
            Published unused = bunny.publish(answer);
        }
    }
}
