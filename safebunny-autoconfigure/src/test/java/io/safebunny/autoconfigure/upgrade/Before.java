// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.upgrade;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyMessage;
import io.safebunny.PoisonMessageException;
import io.safebunny.Upcast;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import io.safebunny.saga.Upgrade;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Email;
import jakarta.validation.constraints.Future;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The version that runs. */
@SuppressWarnings("SameNameButDifferent") // each saga has a state of its own
final class Before {

    private Before() {}

    enum Status {
        ORDERED,
        PAID
    }

    record Address(@JsonAlias("road") String street, String city) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "by")
    @JsonSubTypes({
        @JsonSubTypes.Type(value = Card.class, name = "card"),
        @JsonSubTypes.Type(value = Cash.class, name = "cash")
    })
    interface Payment {}

    record Card(String pan, int checkDigit) implements Payment {}

    record Cash(BigDecimal given) implements Payment {}

    @BunnyMessage("OrderPlaced")
    record OrderPlaced(
            @NotBlank String order,
            long cents,
            Status status,
            Instant at,
            UUID customer,
            @Email String mail,
            @Min(5) int rank,
            Address address,
            List<Payment> payments,
            Map<String, Integer> items,
            @Nullable String note) {}

    @BunnyMessage(value = "StockChanged", version = 2)
    record StockChanged(String article, int left) {

        @Upcast(from = 1)
        static ObjectNode renamed(ObjectNode body) {
            body.set("left", body.remove("amount"));
            return body;
        }
    }

    @BunnyMessage("MailSent")
    record MailSent(String to, @Future Instant until) {}

    @BunnyMessage("ShipOrder")
    record ShipOrder(String order) {}

    @BunnyMessage("Shipped")
    record Shipped(String order) {}

    @BunnyMessage("Pack")
    record Pack(String order, String parcel) {}

    @BunnyMessage("GiveBack")
    record GiveBack(String order) {}

    /** Takes nothing, so that all is set aside. */
    static class Orders {
        @BunnyHandler(from = "shop")
        void on(@Valid OrderPlaced order) {
            throw new PoisonMessageException("closed");
        }
    }

    static class Stock {
        @BunnyHandler(from = "shop")
        void on(StockChanged change) {
            throw new PoisonMessageException("closed");
        }
    }

    static class Mails {
        @BunnyHandler(from = "shop")
        void on(@Valid MailSent mail) {
            throw new PoisonMessageException("closed");
        }
    }

    /** Who packs. */
    static class Packing {
        @BunnyHandler(from = "shop")
        void on(Pack pack) {}
    }

    @BunnySaga(name = "Shipping", version = 2)
    static class Shipping {

        record State(String order, int parcels, Status status) {}

        @Starts
        @BunnyHandler(from = "shop")
        State on(ShipOrder order, SagaContext saga) {
            saga.timeout("late", Duration.ofDays(3));
            saga.step("pack", new Pack(order.order(), "7"));
            return new State(order.order(), 3, Status.ORDERED);
        }

        @BunnyHandler(from = "shop")
        void on(Shipped shipped, State state, SagaContext saga) {
            saga.complete();
        }

        @OnTimeout("late")
        void late(State state, SagaContext saga) {
            saga.fail("late");
        }

        @Upgrade(from = 1)
        static ObjectNode upgrade(ObjectNode old) {
            return old;
        }
    }

    @BunnySaga(name = "Refunding")
    static class Refunding {

        record State(String order, String reason) {}

        @Starts
        @BunnyHandler(from = "shop")
        State on(GiveBack order) {
            return new State(order.order(), "broken");
        }
    }
}
