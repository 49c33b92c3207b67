// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.upgrade;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyMessage;
import io.safebunny.Upcast;
import io.safebunny.autoconfigure.upgrade.Before.Address;
import io.safebunny.autoconfigure.upgrade.Before.GiveBack;
import io.safebunny.autoconfigure.upgrade.Before.Payment;
import io.safebunny.autoconfigure.upgrade.Before.ShipOrder;
import io.safebunny.autoconfigure.upgrade.Before.Shipped;
import io.safebunny.autoconfigure.upgrade.Before.Status;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import io.safebunny.saga.Upgrade;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Size;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Versions to come, each with one change. */
@SuppressWarnings("SameNameButDifferent") // each version has messages and states of its own
final class After {

    private After() {}

    // ---- one that breaks nothing

    /** A new property, which may be missing, and the old ones in another order. */
    static class WithOneMore {
        @BunnyMessage("OrderPlaced")
        record OrderPlaced(
                @Nullable String channel,
                String order,
                long cents,
                Status status,
                Instant at,
                UUID customer,
                String mail,
                int rank,
                Address address,
                List<Payment> payments,
                Map<String, Integer> items,
                @Nullable String note) {}

        @BunnyHandler(from = "shop")
        void on(OrderPlaced order) {}
    }

    // ---- messages

    static class WithRequired {
        @BunnyMessage(value = "StockChanged", version = 2)
        record StockChanged(String article, int left, String shelf) {
            StockChanged {
                Objects.requireNonNull(shelf);
            }

            @Upcast(from = 1)
            static ObjectNode renamed(ObjectNode body) {
                body.set("left", body.remove("amount"));
                return body;
            }
        }

        @BunnyHandler(from = "shop")
        void on(StockChanged change) {}
    }

    static class WithOtherType {
        @BunnyMessage("MailSent")
        record MailSent(List<String> to, Instant until) {}

        @BunnyHandler(from = "shop")
        void on(MailSent mail) {}
    }

    enum LessStatus {
        PAID
    }

    static class WithoutConstant {
        @BunnyMessage("OrderPlaced")
        record OrderPlaced(
                String order,
                long cents,
                LessStatus status,
                Instant at,
                UUID customer,
                String mail,
                int rank,
                Address address,
                List<Payment> payments,
                Map<String, Integer> items,
                @Nullable String note) {}

        @BunnyHandler(from = "shop")
        void on(OrderPlaced order) {}
    }

    enum RenamedStatus {
        ORDERED,
        @JsonProperty("SETTLED")
        @JsonAlias("PAID")
        PAID
    }

    /** Reads all that was written, and writes what was not. */
    static class WithRenamedConstant {
        @BunnyMessage("OrderPlaced")
        record OrderPlaced(
                String order,
                double cents,
                RenamedStatus status,
                Instant at,
                UUID customer,
                String mail,
                int rank,
                Address address,
                List<Payment> payments,
                Map<String, Integer> items,
                @Nullable String note) {}

        @BunnyHandler(from = "shop")
        void on(OrderPlaced order) {}
    }

    record Place(String town, String street) {}

    static class WithRenamed {
        @BunnyMessage("OrderPlaced")
        record OrderPlaced(
                String order,
                long cents,
                Status status,
                Instant at,
                UUID customer,
                String mail,
                int rank,
                Place address,
                List<Payment> payments,
                Map<String, Integer> items,
                @Nullable String note) {}

        @BunnyHandler(from = "shop")
        void on(OrderPlaced order) {}
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "by")
    @JsonSubTypes(@JsonSubTypes.Type(value = OnlyCard.class, name = "card"))
    interface OnlyCards {}

    record OnlyCard(String pan, int checkDigit) implements OnlyCards {}

    static class WithoutSubclass {
        @BunnyMessage("OrderPlaced")
        record OrderPlaced(
                String order,
                long cents,
                Status status,
                Instant at,
                UUID customer,
                String mail,
                int rank,
                Address address,
                List<OnlyCards> payments,
                Map<String, Integer> items,
                @Nullable String note) {}

        @BunnyHandler(from = "shop")
        void on(OrderPlaced order) {}
    }

    static class WithConstraint {
        @BunnyMessage("MailSent")
        record MailSent(@Size(max = 3) String to, Instant until) {}

        @BunnyHandler(from = "shop")
        void on(@Valid MailSent mail) {}
    }

    static class WithLowerVersion {
        @BunnyMessage("StockChanged")
        record StockChanged(String article, int left) {}

        @BunnyHandler(from = "shop")
        void on(StockChanged change) {}
    }

    static class WithFailingUpcaster {
        @BunnyMessage(value = "StockChanged", version = 3)
        record StockChanged(String article, int left) {

            @Upcast(from = 1)
            static ObjectNode renamed(ObjectNode body) {
                body.set("left", body.remove("amount"));
                return body;
            }

            @Upcast(from = 2)
            static ObjectNode failing(ObjectNode body) {
                body.put("left", body.get("amount").asInt());
                return body;
            }
        }

        @BunnyHandler(from = "shop")
        void on(StockChanged change) {}
    }

    @BunnyMessage(value = "Pack", version = 3)
    record PackWithHole(String order, String parcel) {

        @Upcast(from = 2)
        static ObjectNode same(ObjectNode body) {
            return body;
        }
    }

    @BunnyMessage("Pack")
    record PackWithLess(String order) {}

    @BunnyMessage(value = "Pack", version = 2)
    record PackOfNextVersion(String order) {

        @Upcast(from = 1)
        static ObjectNode less(ObjectNode body) {
            body.remove("parcel");
            return body;
        }
    }

    // ---- sagas

    @BunnySaga(name = "Shipping", version = 2)
    static class ShippingOfWords {

        record State(String order, String parcels, Status status, boolean isSent) {}

        @Starts
        @BunnyHandler(from = "shop")
        State on(ShipOrder order) {
            return new State(order.order(), "3", Status.PAID, false);
        }

        @BunnyHandler(from = "shop")
        void on(Shipped shipped, State state) {}

        @OnTimeout("late")
        void late(State state) {}
    }

    @BunnySaga(name = "Shipping", version = 4)
    static class ShippingWithHole {

        record State(String order, int parcels, Status status, String carrier) {
            State {
                Objects.requireNonNull(carrier);
            }
        }

        @Starts
        @BunnyHandler(from = "shop")
        State on(ShipOrder order) {
            return new State(order.order(), 3, Status.PAID, "");
        }

        @BunnyHandler(from = "shop")
        void on(Shipped shipped, State state) {}

        @OnTimeout("late")
        void late(State state) {}

        @Upgrade(from = 3)
        static ObjectNode upgrade(ObjectNode old) {
            return old;
        }
    }

    @BunnySaga(name = "Shipping", version = 3)
    static class ShippingWithFailingUpgrade {

        record State(String order, int parcels, Status status) {}

        @Starts
        @BunnyHandler(from = "shop")
        State on(ShipOrder order) {
            return new State(order.order(), 3, Status.PAID);
        }

        @BunnyHandler(from = "shop")
        void on(Shipped shipped, State state) {}

        @OnTimeout("late")
        void late(State state) {}

        @Upgrade(from = 2)
        static ObjectNode upgrade(ObjectNode old) {
            old.put("parcels", old.get("boxes").asInt());
            return old;
        }
    }

    @BunnySaga(name = "Shipping")
    static class ShippingOfLowerVersion {

        record State(String order, int parcels, Status status) {}

        @Starts
        @BunnyHandler(from = "shop")
        State on(ShipOrder order) {
            return new State(order.order(), 3, Status.PAID);
        }

        @BunnyHandler(from = "shop")
        void on(Shipped shipped, State state) {}

        @OnTimeout("late")
        void late(State state) {}
    }

    @BunnySaga(name = "Shipping", version = 2)
    static class ShippingWithoutTimeout {

        @Starts
        @BunnyHandler(from = "shop")
        Before.Shipping.State on(ShipOrder order) {
            return new Before.Shipping.State(order.order(), 3, Status.PAID);
        }

        @BunnyHandler(from = "shop")
        void on(Shipped shipped, Before.Shipping.State state) {}
    }

    @BunnySaga(name = "Shipping", version = 2)
    static class ShippingWithoutAnswer {

        @Starts
        @BunnyHandler(from = "shop")
        Before.Shipping.State on(ShipOrder order) {
            return new Before.Shipping.State(order.order(), 3, Status.PAID);
        }

        @OnTimeout("late")
        void late(Before.Shipping.State state, SagaContext saga) {}
    }

    @BunnySaga(name = "Refunding")
    static class RefundingWithRenamed {

        record State(String order, @Nullable String why) {}

        @Starts
        @BunnyHandler(from = "shop")
        State on(GiveBack order) {
            return new State(order.order(), null);
        }
    }
}
