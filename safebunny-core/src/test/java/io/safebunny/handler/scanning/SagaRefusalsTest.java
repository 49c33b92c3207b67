// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.BunnyHandler;
import io.safebunny.BunnyScope;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.CorrelatedBy;
import io.safebunny.saga.OnPoisoned;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import io.safebunny.saga.Upgrade;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.annotation.Scope;
import org.springframework.stereotype.Component;
import tools.jackson.databind.node.ObjectNode;

@SuppressWarnings("DoNotCallSuggester") // they throw for the test
class SagaRefusalsTest {

    private static final String HUNDRED =
            "a123456789b123456789c123456789d123456789e123456789f123456789g123456789h123456789i123456789j123456789";

    record State(String order) {}

    record Other(String text) {}

    @BunnySaga
    static class NoStart {
        @BunnyHandler(from = "billing")
        void on(PaymentCaptured captured, State state) {}
    }

    @BunnySaga
    static class StartsVoid {
        @Starts
        @BunnyHandler(from = "billing")
        void on(OrderPlaced placed) {}
    }

    @BunnySaga
    static class TakesBatches {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(List<OrderPlaced> placed) {
            return new State("all");
        }
    }

    @BunnySaga
    static class HasBatchSize {
        @Starts
        @BunnyHandler(from = "storefront", batchSize = "16")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }
    }

    @BunnySaga
    static class SharesTransactions {
        @Starts
        @BunnyHandler(from = "storefront", messagesPerTransaction = "16")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }
    }

    @BunnySaga
    static class TwoStates {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @Starts
        @BunnyHandler(from = "billing")
        Other also(PaymentCaptured captured) {
            return new Other("");
        }
    }

    @BunnySaga
    static class TextState {
        @Starts
        @BunnyHandler(from = "billing")
        String on(OrderPlaced placed) {
            return "";
        }
    }

    @BunnySaga
    static class ReturnsOther {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @BunnyHandler(from = "billing")
        Other paid(PaymentCaptured captured) {
            return new Other("");
        }
    }

    @BunnySaga
    static class TimeoutReturnsOther {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @OnTimeout("late")
        Other late() {
            return new Other("");
        }
    }

    @BunnySaga
    static class StaticHandler {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @BunnyHandler(from = "billing")
        static void paid(PaymentCaptured captured) {}
    }

    @BunnySaga
    static class StaticTimeout {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @OnTimeout("late")
        static void late() {}
    }

    @BunnySaga
    static class NoPayload {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @BunnyHandler(from = "billing")
        void paid(State state, SagaContext saga) {}
    }

    @BunnySaga
    static class TwoPayloads {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @BunnyHandler(from = "billing")
        void paid(PaymentCaptured captured, Other other) {}
    }

    @BunnySaga
    static class AnyPayload {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @BunnyHandler(from = "billing")
        void paid(Object any) {}
    }

    @BunnySaga
    static class TwiceTheState {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @BunnyHandler(from = "billing")
        void paid(PaymentCaptured captured, State one, State other) {}
    }

    @BunnySaga
    static class HandlerTakesBlocked {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @BunnyHandler(from = "billing")
        void paid(PaymentCaptured captured, BlockedOn blockedOn) {}
    }

    @BunnySaga
    static class TimeoutTakesPayload {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @OnTimeout("late")
        void late(OrderPlaced placed) {}
    }

    @BunnySaga
    static class PoisonedTakesPayload {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @OnPoisoned
        void blocked(OrderPlaced placed) {}
    }

    @BunnySaga
    static class TwoTimeouts {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @OnTimeout("late")
        void first() {}

        @OnTimeout("late")
        void second() {}
    }

    @BunnySaga
    static class BlankTimeout {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @OnTimeout(" ")
        void late() {}
    }

    @BunnySaga
    static class LongTimeout {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @OnTimeout(HUNDRED + "1")
        void late() {}
    }

    @BunnySaga
    static class TwoPoisoned {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @OnPoisoned
        void first() {}

        @OnPoisoned
        void second() {}
    }

    @BunnySaga
    static class TwoRoles {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @OnTimeout("late")
        @OnPoisoned
        void late() {}
    }

    @BunnySaga
    static class StartsWithoutHandler {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @Starts
        State also(PaymentCaptured captured) {
            return new State("");
        }
    }

    @BunnySaga
    static class StartingTimeout {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @Starts
        @OnTimeout("late")
        State late() {
            return new State("");
        }
    }

    @BunnySaga
    static class CorrelatedTimeout {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @CorrelatedBy("id")
        @OnTimeout("late")
        void late() {}
    }

    @BunnySaga
    static class WrongExpression {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @BunnyHandler(from = "billing")
        @CorrelatedBy("orderId.")
        void paid(PaymentCaptured captured) {}
    }

    @BunnySaga(version = 2)
    static class UpgradeOfInstance {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @Upgrade(from = 1)
        ObjectNode up(ObjectNode old) {
            return old;
        }
    }

    @BunnySaga(version = 2)
    static class UpgradeOfState {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @Upgrade(from = 1)
        static ObjectNode up(State old) {
            throw new IllegalStateException(old.order());
        }
    }

    @BunnySaga(version = 2)
    static class UpgradeToVoid {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @Upgrade(from = 1)
        static void up(ObjectNode old) {}
    }

    @BunnySaga(version = 2)
    static class UpgradeOfTwo {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @Upgrade(from = 1)
        static ObjectNode up(ObjectNode old, ObjectNode more) {
            return old;
        }
    }

    @BunnySaga(version = 2)
    static class TwoUpgrades {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @Upgrade(from = 1)
        static ObjectNode first(ObjectNode old) {
            return old;
        }

        @Upgrade(from = 1)
        static ObjectNode second(ObjectNode old) {
            return old;
        }
    }

    @BunnySaga(version = 4)
    static class Hole {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @Upgrade(from = 1)
        static ObjectNode first(ObjectNode old) {
            return old;
        }

        @Upgrade(from = 3)
        static ObjectNode third(ObjectNode old) {
            return old;
        }
    }

    @BunnySaga(version = 4)
    static class MissingLast {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @Upgrade(from = 2)
        static ObjectNode second(ObjectNode old) {
            return old;
        }
    }

    @BunnySaga(version = 2)
    static class UpgradeOfThePresent {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @Upgrade(from = 2)
        static ObjectNode up(ObjectNode old) {
            return old;
        }
    }

    @BunnySaga(version = 2)
    static class UpgradeOfNothing {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @Upgrade(from = 0)
        static ObjectNode up(ObjectNode old) {
            return old;
        }
    }

    @BunnySaga
    static class UpgradeOfTheFirst {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @Upgrade(from = 1)
        static ObjectNode up(ObjectNode old) {
            return old;
        }
    }

    @BunnySaga(version = 0)
    static class VersionZero {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }
    }

    @BunnySaga(name = "order saga")
    static class WrongName {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }
    }

    @BunnySaga(name = HUNDRED)
    static class LongName {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }
    }

    @BunnySaga(participants = "Warehouse")
    static class WrongParticipant {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }
    }

    @BunnySaga
    static class WrongPrefetch {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @BunnyHandler(from = "billing", prefetch = "many")
        void paid(PaymentCaptured captured) {}
    }

    @BunnySaga
    static class FromNobody {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }

        @BunnyHandler
        void paid(PaymentCaptured captured) {}
    }

    @BunnySaga
    @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
    static class Prototype {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }
    }

    @BunnySaga
    @BunnyScope
    static class PerMessage {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }
    }

    @Component
    static class StrayStarts {
        @Starts
        @BunnyHandler(from = "billing")
        void on(OrderPlaced placed) {}
    }

    @Component
    static class StrayCorrelation {
        @CorrelatedBy("id")
        @BunnyHandler(from = "billing")
        void on(OrderPlaced placed) {}
    }

    @Component
    static class StrayTimeout {
        @OnTimeout("late")
        @BunnyHandler(from = "billing")
        void on(OrderPlaced placed) {}
    }

    @Component
    static class StrayPoisoned {
        @OnPoisoned
        @BunnyHandler(from = "billing")
        void on(OrderPlaced placed) {}
    }

    @Component
    static class StrayUpgrade {
        @Upgrade(from = 1)
        @BunnyHandler(from = "billing")
        void on(OrderPlaced placed) {}
    }

    static Stream<Arguments> refusals() {
        return Stream.of(
                Arguments.of(NoStart.class, "SB-1107", "NoStart", "no handler with @Starts", "@Starts @BunnyHandler("),
                Arguments.of(
                        StartsVoid.class,
                        "SB-1107",
                        "StartsVoid.on(OrderPlaced)",
                        "must return its state",
                        "first state"),
                Arguments.of(
                        TakesBatches.class,
                        "SB-1101",
                        "TakesBatches.on(List)",
                        "outside sagas takes batches",
                        "Declare"),
                Arguments.of(
                        HasBatchSize.class,
                        "SB-1105",
                        "HasBatchSize.on(OrderPlaced)",
                        "batchSize=16",
                        "Correct @BunnyHandler(batchSize"),
                Arguments.of(
                        SharesTransactions.class,
                        "SB-1105",
                        "SharesTransactions.on(OrderPlaced)",
                        "messagesPerTransaction=16",
                        "Correct @BunnyHandler(messagesPerTransaction"),
                Arguments.of(
                        TwoStates.class,
                        "SB-1107",
                        "TwoStates.also(PaymentCaptured)",
                        "one type of state",
                        "same type"),
                Arguments.of(
                        TextState.class, "SB-1107", "TextState.on(OrderPlaced)", "cannot be stored", "Return a record"),
                Arguments.of(
                        ReturnsOther.class,
                        "SB-1107",
                        "ReturnsOther.paid(PaymentCaptured)",
                        "returns its state or void",
                        "Return the state"),
                Arguments.of(
                        TimeoutReturnsOther.class,
                        "SB-1107",
                        "TimeoutReturnsOther.late()",
                        "returns its state or void",
                        "Return the state"),
                Arguments.of(
                        StaticHandler.class,
                        "SB-1104",
                        "StaticHandler.paid(PaymentCaptured)",
                        "static",
                        "Remove `static`"),
                Arguments.of(StaticTimeout.class, "SB-1104", "StaticTimeout.late()", "static", "Remove `static`"),
                Arguments.of(
                        NoPayload.class,
                        "SB-1107",
                        "NoPayload.paid(State, SagaContext)",
                        "needs a payload",
                        "Declare it as: State on("),
                Arguments.of(
                        TwoPayloads.class,
                        "SB-1107",
                        "TwoPayloads.paid(PaymentCaptured, Other)",
                        "takes one payload",
                        "Declare it as: State on("),
                Arguments.of(
                        AnyPayload.class,
                        "SB-1101",
                        "AnyPayload.paid(Object)",
                        "must be a message class",
                        "Declare it as: State on("),
                Arguments.of(
                        TwiceTheState.class,
                        "SB-1107",
                        "TwiceTheState.paid(PaymentCaptured, State, State)",
                        "Two parameters for the state",
                        "Remove one"),
                Arguments.of(
                        HandlerTakesBlocked.class,
                        "SB-1107",
                        "HandlerTakesBlocked.paid(PaymentCaptured, BlockedOn)",
                        "Only a method with @OnPoisoned",
                        "Remove the parameter"),
                Arguments.of(
                        TimeoutTakesPayload.class,
                        "SB-1107",
                        "TimeoutTakesPayload.late(OrderPlaced)",
                        "@OnTimeout takes no payload",
                        "Remove the parameter"),
                Arguments.of(
                        PoisonedTakesPayload.class,
                        "SB-1107",
                        "PoisonedTakesPayload.blocked(OrderPlaced)",
                        "@OnPoisoned takes no payload",
                        "Remove the parameter"),
                Arguments.of(
                        TwoTimeouts.class,
                        "SB-1107",
                        "TwoTimeouts.second()",
                        "Two methods for one timeout [timeout=late]",
                        "name them differently"),
                Arguments.of(
                        BlankTimeout.class,
                        "SB-1107",
                        "BlankTimeout.late()",
                        "Invalid name of a timeout",
                        "@OnTimeout(\"payment\")"),
                Arguments.of(
                        LongTimeout.class, "SB-1107", "LongTimeout.late()", "length=101", "@OnTimeout(\"payment\")"),
                Arguments.of(
                        TwoPoisoned.class,
                        "SB-1107",
                        "TwoPoisoned.second()",
                        "at most one method with @OnPoisoned",
                        "BlockedOn.type()"),
                Arguments.of(TwoRoles.class, "SB-1107", "TwoRoles.late", "one role", "one method for each"),
                Arguments.of(
                        StartsWithoutHandler.class,
                        "SB-1107",
                        "StartsWithoutHandler.also",
                        "@Starts is only for handlers",
                        "Add @BunnyHandler("),
                Arguments.of(
                        StartingTimeout.class,
                        "SB-1107",
                        "StartingTimeout.late",
                        "@Starts is only for handlers",
                        "Add @BunnyHandler("),
                Arguments.of(
                        CorrelatedTimeout.class,
                        "SB-1107",
                        "CorrelatedTimeout.late",
                        "@CorrelatedBy is only for handlers",
                        "Add @BunnyHandler("),
                Arguments.of(
                        WrongExpression.class,
                        "SB-1107",
                        "WrongExpression.paid(PaymentCaptured)",
                        "@CorrelatedBy=orderId.",
                        "@CorrelatedBy(\"order.id\")"),
                Arguments.of(
                        UpgradeOfInstance.class,
                        "SB-1107",
                        "UpgradeOfInstance.up(ObjectNode)",
                        "must be static",
                        "@Upgrade(from = 1) static"),
                Arguments.of(
                        UpgradeOfState.class,
                        "SB-1107",
                        "UpgradeOfState.up(State)",
                        "take one ObjectNode",
                        "@Upgrade(from = 1) static"),
                Arguments.of(
                        UpgradeToVoid.class,
                        "SB-1107",
                        "UpgradeToVoid.up(ObjectNode)",
                        "returns=void",
                        "@Upgrade(from = 1) static"),
                Arguments.of(
                        UpgradeOfTwo.class,
                        "SB-1107",
                        "UpgradeOfTwo.up(ObjectNode, ObjectNode)",
                        "take one ObjectNode",
                        "@Upgrade(from = 1) static"),
                Arguments.of(
                        TwoUpgrades.class,
                        "SB-1107",
                        "TwoUpgrades.second(ObjectNode)",
                        "Two upgrades read one version [from=1]",
                        "Merge"),
                Arguments.of(Hole.class, "SB-1107", "Hole", "missing [saga=", "@Upgrade(from = 2)"),
                Arguments.of(MissingLast.class, "SB-1107", "MissingLast", "missing [saga=", "@Upgrade(from = 3)"),
                Arguments.of(
                        UpgradeOfThePresent.class,
                        "SB-1107",
                        "UpgradeOfThePresent.up(ObjectNode)",
                        "from=2",
                        "@BunnySaga(version = 3)"),
                Arguments.of(
                        UpgradeOfNothing.class, "SB-1107", "UpgradeOfNothing.up(ObjectNode)", "from=0", "Correct from"),
                Arguments.of(
                        UpgradeOfTheFirst.class,
                        "SB-1107",
                        "UpgradeOfTheFirst.up(ObjectNode)",
                        "from=1",
                        "@BunnySaga(version = 2)"),
                Arguments.of(VersionZero.class, "SB-1107", "VersionZero", "version=0", "@BunnySaga(version ="),
                Arguments.of(WrongName.class, "SB-1107", "WrongName", "name=order saga", "@BunnySaga(name ="),
                Arguments.of(LongName.class, "SB-1107", "LongName", "Invalid name of a saga", "@BunnySaga(name ="),
                Arguments.of(
                        WrongParticipant.class,
                        "SB-1001",
                        "WrongParticipant",
                        "participants of",
                        "Set participants of"),
                Arguments.of(
                        WrongPrefetch.class,
                        "SB-1105",
                        "WrongPrefetch.paid(PaymentCaptured)",
                        "prefetch=many",
                        "prefetch"),
                Arguments.of(
                        FromNobody.class,
                        "SB-1105",
                        "FromNobody.paid(PaymentCaptured)",
                        "must name the node that publishes",
                        "from"),
                Arguments.of(Prototype.class, "SB-1107", "Prototype", "singleton", "Remove the scope"),
                Arguments.of(PerMessage.class, "SB-1107", "PerMessage", "singleton", "Remove the scope"),
                Arguments.of(
                        StrayStarts.class,
                        "SB-1107",
                        "StrayStarts.on",
                        "@Starts is only for methods of sagas",
                        "@BunnySaga"),
                Arguments.of(
                        StrayCorrelation.class,
                        "SB-1107",
                        "StrayCorrelation.on",
                        "@CorrelatedBy is only for methods of sagas",
                        "@BunnySaga"),
                Arguments.of(
                        StrayTimeout.class,
                        "SB-1107",
                        "StrayTimeout.on",
                        "@OnTimeout is only for methods of sagas",
                        "@BunnySaga"),
                Arguments.of(
                        StrayPoisoned.class,
                        "SB-1107",
                        "StrayPoisoned.on",
                        "@OnPoisoned is only for methods of sagas",
                        "@BunnySaga"),
                Arguments.of(
                        StrayUpgrade.class,
                        "SB-1107",
                        "StrayUpgrade.on",
                        "@Upgrade is only for methods of sagas",
                        "@BunnySaga"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void namesClassAndMethodAndTheFix(Class<?> component, String code, String where, String what, String fix) {
        try (Handlers handlers = new Handlers(component)) {
            assertThatExceptionOfType(ConfigurationException.class)
                    .isThrownBy(handlers::sagas)
                    .withMessageContaining("SagaRefusalsTest$" + where)
                    .withMessageContaining(what)
                    .satisfies(e -> assertThat(e.code()).isEqualTo(code))
                    .satisfies(e -> assertThat(e.action()).contains(fix))
                    .satisfies(e -> assertThat(e.getMessage()).contains(e.problem(), e.action()));
        }
    }

    @BunnySaga(name = "orders")
    static class First {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(OrderPlaced placed) {
            return new State(placed.orderId());
        }
    }

    @BunnySaga(name = "orders")
    static class Second {
        @Starts
        @BunnyHandler(from = "billing")
        State on(PaymentCaptured captured) {
            return new State(captured.orderId());
        }
    }

    @Test
    void refusesTwoSagasOfOneNameAndNamesBoth() {
        try (Handlers handlers = new Handlers(First.class, Second.class)) {
            assertThatExceptionOfType(ConfigurationException.class)
                    .isThrownBy(handlers::sagas)
                    .withMessageContaining("name=orders")
                    .withMessageContaining(First.class.getName())
                    .withMessageContaining(Second.class.getName())
                    .satisfies(e -> assertThat(e.code()).isEqualTo("SB-1107"))
                    .satisfies(e -> assertThat(e.action()).contains("@BunnySaga(name ="));
        }
    }
}
