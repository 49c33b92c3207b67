// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.quickstart;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.PublishOptions;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.Starts;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.stereotype.Component;

/**
 * A shop that charges a card and ships the goods, or gives the money back: a saga and its participants in one node, without a broker. It
 * takes three orders, and ends when they have. With a store that outlives it, a second run finds its orders done, and charges nothing.
 */
@SpringBootApplication
public class Shop {

    public static void main(String[] arguments) throws InterruptedException {
        try (ConfigurableApplicationContext shop = SpringApplication.run(Shop.class, arguments)) {
            Bunny bunny = shop.getBean(Bunny.class);
            List<String> orders = List.of("order-1", "order-2", "order-3");
            for (String order : orders) {
                bunny.publish(new PlaceOrder(order, 1999), PublishOptions.none().withCorrelationId(order));
            }
            Sagas sagas = shop.getBean(Sagas.class);
            while (!orders.stream().allMatch(order -> hasEnded(sagas, order))) {
                TimeUnit.MILLISECONDS.sleep(100);
            }
            CardNetwork cards = shop.getBean(CardNetwork.class);
            orders.forEach(cards::printBalance);
            cards.printCharges();
        }
    }

    private static boolean hasEnded(Sagas sagas, String order) {
        return sagas.find("OrderSaga", order)
                .filter(saga -> saga.status().isEnded())
                .isPresent();
    }
}

record PlaceOrder(String order, long cents) {}

record Charge(String order, long cents) {}

record Charged(String order) {}

record Refund(String order) {}

record Ship(String order) {}

record Shipped(String order) {}

record SoldOut(String order) {}

@BunnySaga
class OrderSaga {

    record State(String order) {}

    @Starts
    @BunnyHandler(from = "shop")
    State on(PlaceOrder placed, SagaContext saga) {
        saga.step("charge", new Charge(placed.order(), placed.cents()), new Refund(placed.order()));
        return new State(placed.order());
    }

    @BunnyHandler(from = "shop")
    void on(Charged charged, State state, SagaContext saga) {
        saga.step("ship", new Ship(state.order()));
    }

    @BunnyHandler(from = "shop")
    void on(Shipped shipped, SagaContext saga) {
        saga.complete();
    }

    @BunnyHandler(from = "shop")
    void on(SoldOut soldOut, SagaContext saga) {
        saga.fail("sold out"); // refunds the charge
    }
}

@Component
class Billing {

    private final CardNetwork cards;
    private final Bunny bunny;

    Billing(CardNetwork cards, Bunny bunny) {
        this.cards = cards;
        this.bunny = bunny;
    }

    @BunnyHandler(from = "shop")
    void on(Charge command, MessageContext context) {
        cards.charge(command.order(), command.cents(), context.messageId());
        bunny.publish(new Charged(command.order())); // goes out when this method has succeeded
    }

    @BunnyHandler(from = "shop")
    void on(Refund undo) {
        cards.refund(undo.order());
    }
}

@Component
class Warehouse {

    private static final Logger log = LoggerFactory.getLogger(Warehouse.class);
    private final Bunny bunny;

    Warehouse(Bunny bunny) {
        this.bunny = bunny;
    }

    @BunnyHandler(from = "shop")
    void on(Ship command) {
        boolean isThere = !command.order().equals("order-3");
        log.info("{} {}", command.order(), isThere ? "is shipped" : "is sold out");
        bunny.publish(isThere ? new Shipped(command.order()) : new SoldOut(command.order()));
    }
}

/** Elsewhere, and without transactions of ours. Like any good one, it charges once for each key. */
@Component
class CardNetwork {

    private static final Logger log = LoggerFactory.getLogger(CardNetwork.class);
    private final Map<String, String> keys = new ConcurrentHashMap<>();
    private final Map<String, Long> balances = new ConcurrentHashMap<>();
    private final Map<String, Integer> charges = new ConcurrentHashMap<>();

    void charge(String order, long cents, String key) {
        boolean isNew = keys.putIfAbsent(key, order) == null;
        if (isNew) {
            charges.merge(order, 1, Integer::sum);
            balances.merge(order, cents, Long::sum);
        }
        log.info("{} {}", order, isNew ? "is charged" : "was charged before, so it is not again");
        if (isNew && order.equals("order-2")) {
            throw new IllegalStateException("the connection broke after the charge, on purpose");
        }
    }

    void refund(String order) {
        balances.put(order, 0L);
        log.info("{} is refunded", order);
    }

    void printBalance(String order) {
        log.info("{} has paid {} cents in this run", order, balances.getOrDefault(order, 0L));
    }

    void printCharges() {
        boolean once = charges.values().stream().allMatch(times -> times == 1);
        log.info("{} orders, {}", charges.size(), once ? "each charged once" : "charged so often: " + charges);
    }
}
