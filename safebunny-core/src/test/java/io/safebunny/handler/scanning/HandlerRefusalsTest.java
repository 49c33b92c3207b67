// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import example.BunnyHop;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyMessage;
import io.safebunny.BunnyRetry;
import io.safebunny.MessageContext;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaContext;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.stereotype.Component;

class HandlerRefusalsTest {

    @Component("bean")
    static class NoPayload {
        @BunnyHandler(from = "orders")
        void on(MessageContext context) {}
    }

    @Component("bean")
    static class TwoPayloads {
        @BunnyHandler(from = "orders")
        void on(OrderPlaced one, PaymentCaptured other) {}
    }

    @Component("bean")
    static class WithSagaContext {
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event, SagaContext saga) {}
    }

    @Component("bean")
    static class WithBlockedOn {
        @BunnyHandler(from = "orders")
        void on(BlockedOn blockedOn) {}
    }

    @Component("bean")
    static class AnyPayload {
        @BunnyHandler(from = "orders")
        void on(Object any) {}
    }

    @Component("bean")
    static class ArrayPayload {
        @BunnyHandler(from = "orders")
        void on(byte[] bytes) {}
    }

    @Component("bean")
    static class WrongHeaders {
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event, @Headers List<String> headers) {}
    }

    @Component("bean")
    static class OptionalPrimitive {
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event, @Header(name = "priority", required = false) int priority) {}
    }

    @Component("bean")
    static class ReturnsSomething {
        @BunnyHandler(from = "orders")
        PaymentCaptured on(OrderPlaced event) {
            return new PaymentCaptured(event.orderId());
        }
    }

    @Component("bean")
    static class Static {
        @BunnyHandler(from = "orders")
        static void on(OrderPlaced event) {}
    }

    @Component("bean")
    static class FromNobody {
        @BunnyHandler
        void on(OrderPlaced event) {}
    }

    @Component("bean")
    static class FromEmpty {
        @BunnyHandler(from = "${nobody:}")
        void on(OrderPlaced event) {}
    }

    @Component("bean")
    static class UnknownPlaceholder {
        @BunnyHandler(from = "${no.such.property}")
        void on(OrderPlaced event) {}
    }

    @Component("bean")
    static class WrongPrefetch {
        @BunnyHandler(from = "orders", prefetch = "many")
        void on(OrderPlaced event) {}
    }

    @Component("bean")
    static class ZeroPrefetch {
        @BunnyHandler(from = "orders", prefetch = "0")
        void on(OrderPlaced event) {}
    }

    @Component("bean")
    static class TooManyPerTransaction {
        @BunnyHandler(from = "orders", messagesPerTransaction = "33")
        void on(OrderPlaced event) {}
    }

    @Component("bean")
    static class WrongDelay {
        @BunnyHandler(from = "orders", delayedRetries = "soon")
        void on(OrderPlaced event) {}
    }

    @Component("bean")
    static class NegativeDelay {
        @BunnyHandler(from = "orders", delayedRetries = "-1s")
        void on(OrderPlaced event) {}
    }

    @Component("bean")
    static class WrongJitter {
        @BunnyHandler(from = "orders", retry = @BunnyRetry(jitter = "2"))
        void on(OrderPlaced event) {}
    }

    @Component("bean")
    static class WrongNode {
        @BunnyHandler(from = "Orders")
        void on(OrderPlaced event) {}
    }

    @BunnyMessage("order-placed")
    record WronglyNamed(String id) {}

    @Component("bean")
    static class WrongType {
        @BunnyHandler(from = "orders")
        void on(WronglyNamed event) {}
    }

    @Component("bean")
    static class ReservedType {
        @BunnyHandler(from = "orders")
        void on(BunnyHop event) {}
    }

    @Component("bean")
    static class TextPayload {
        @BunnyHandler(from = "orders")
        void on(String text) {}
    }

    @Component("bean")
    static class AnyList {
        @BunnyHandler(from = "orders")
        void on(List<?> orders) {}
    }

    @Component("bean")
    static class RawList {
        @BunnyHandler(from = "orders")
        void on(@SuppressWarnings("rawtypes") List orders) {}
    }

    @Component("bean")
    static class ListOfLists {
        @BunnyHandler(from = "orders")
        void on(List<List<OrderPlaced>> orders) {}
    }

    @Component("bean")
    static class ListOfTexts {
        @BunnyHandler(from = "orders")
        void on(List<String> orders) {}
    }

    @Component("bean")
    static class TwoLists {
        @BunnyHandler(from = "orders")
        void on(List<OrderPlaced> orders, List<PaymentCaptured> payments) {}
    }

    @Component("bean")
    static class OnlyContexts {
        @BunnyHandler(from = "orders")
        void on(List<MessageContext> contexts) {}
    }

    @Component("bean")
    static class ListAndContext {
        @BunnyHandler(from = "orders")
        void on(List<OrderPlaced> orders, MessageContext context) {}
    }

    @Component("bean")
    static class ListAndHeaders {
        @BunnyHandler(from = "orders")
        void on(List<OrderPlaced> orders, @Headers Map<String, Object> headers) {}
    }

    @Component("bean")
    static class PayloadAndContexts {
        @BunnyHandler(from = "orders")
        void on(OrderPlaced order, List<MessageContext> contexts) {}
    }

    @Component("bean")
    static class EmptyBatch {
        @BunnyHandler(from = "orders", batchSize = "0")
        void on(List<OrderPlaced> orders) {}
    }

    @Component("bean")
    static class LargeBatch {
        @BunnyHandler(from = "orders", batchSize = "201")
        void on(List<OrderPlaced> orders) {}
    }

    @Component("bean")
    static class SizeWithoutList {
        @BunnyHandler(from = "orders", batchSize = "50")
        void on(OrderPlaced order) {}
    }

    @Component("bean")
    static class BatchSharesTransaction {
        @BunnyHandler(from = "orders", messagesPerTransaction = "16")
        void on(List<OrderPlaced> orders) {}
    }

    @Component("bean")
    static class BatchBeyondPrefetch {
        @BunnyHandler(from = "orders", batchSize = "50", prefetch = "49")
        void on(List<OrderPlaced> orders) {}
    }

    static Stream<Arguments> refusals() {
        return Stream.of(
                Arguments.of(NoPayload.class, "SB-1101", "Declare it as: void on("),
                Arguments.of(TwoPayloads.class, "SB-1101", "Declare it as: void on("),
                Arguments.of(AnyPayload.class, "SB-1101", "Declare it as: void on("),
                Arguments.of(ArrayPayload.class, "SB-1101", "Declare it as: void on("),
                Arguments.of(WithSagaContext.class, "SB-1101", "Add @BunnySaga to the class"),
                Arguments.of(WithBlockedOn.class, "SB-1101", "Add @BunnySaga to the class"),
                Arguments.of(WrongHeaders.class, "SB-1101", "@Headers Map<String, Object>"),
                Arguments.of(OptionalPrimitive.class, "SB-1101", "object type"),
                Arguments.of(ReturnsSomething.class, "SB-1103", "Bunny.publish"),
                Arguments.of(Static.class, "SB-1104", "Remove `static`"),
                Arguments.of(FromNobody.class, "SB-1105", "@BunnyHandler(from = \"orders\")"),
                Arguments.of(FromEmpty.class, "SB-1105", "@BunnyHandler(from = \"orders\")"),
                Arguments.of(UnknownPlaceholder.class, "SB-1105", "Define the property"),
                Arguments.of(WrongPrefetch.class, "SB-1105", "prefetch"),
                Arguments.of(ZeroPrefetch.class, "SB-1105", "prefetch"),
                Arguments.of(TooManyPerTransaction.class, "SB-1105", "messagesPerTransaction"),
                Arguments.of(WrongDelay.class, "SB-1105", "delayedRetries"),
                Arguments.of(NegativeDelay.class, "SB-1105", "delayedRetries"),
                Arguments.of(WrongJitter.class, "SB-1105", "retry"),
                Arguments.of(WrongNode.class, "SB-1001", "Set from of"),
                Arguments.of(WrongType.class, "SB-1002", "@BunnyMessage("),
                Arguments.of(ReservedType.class, "SB-1002", "@BunnyMessage("),
                Arguments.of(TextPayload.class, "SB-1111", "Use a record of your own"),
                Arguments.of(AnyList.class, "SB-1101", "Declare it as: void on(List<OrderPlaced> payloads"),
                Arguments.of(RawList.class, "SB-1101", "Declare it as: void on(List<OrderPlaced> payloads"),
                Arguments.of(ListOfLists.class, "SB-1101", "Declare it as: void on(List<OrderPlaced> payloads"),
                Arguments.of(ListOfTexts.class, "SB-1111", "Use a record of your own"),
                Arguments.of(TwoLists.class, "SB-1101", "Declare it as: void on(List<OrderPlaced> payloads"),
                Arguments.of(OnlyContexts.class, "SB-1101", "Declare it as: void on(List<OrderPlaced> payloads"),
                Arguments.of(ListAndContext.class, "SB-1101", "Declare it as: void on(List<OrderPlaced> payloads"),
                Arguments.of(ListAndHeaders.class, "SB-1101", "Declare it as: void on(List<OrderPlaced> payloads"),
                Arguments.of(PayloadAndContexts.class, "SB-1101", "Declare it as: void on(List<OrderPlaced> payloads"),
                Arguments.of(EmptyBatch.class, "SB-1105", "batchSize"),
                Arguments.of(LargeBatch.class, "SB-1105", "batchSize"),
                Arguments.of(SizeWithoutList.class, "SB-1105", "batchSize"),
                Arguments.of(BatchSharesTransaction.class, "SB-1105", "messagesPerTransaction"),
                Arguments.of(BatchBeyondPrefetch.class, "SB-1105", "prefetch"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void namesBeanAndMethodAndTheFix(Class<?> component, String code, String fix) {
        try (Handlers handlers = new Handlers(component)) {
            assertThatExceptionOfType(ConfigurationException.class)
                    .isThrownBy(handlers::scan)
                    .withMessageContaining("bean.on(")
                    .satisfies(e -> assertThat(e.code()).isEqualTo(code))
                    .satisfies(e -> assertThat(e.action()).contains(fix))
                    .satisfies(e -> assertThat(e.getMessage()).contains(e.problem(), e.action()));
        }
    }

    @Component("first")
    static class First {
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event) {}
    }

    @Component("second")
    static class Second {
        @BunnyHandler(from = "storefront")
        void handle(OrderPlaced event) {}
    }

    @Test
    void refusesTwoHandlersOfOneTypeAndNamesBoth() {
        try (Handlers handlers = new Handlers(First.class, Second.class)) {
            assertThatExceptionOfType(ConfigurationException.class)
                    .isThrownBy(handlers::scan)
                    .withMessageContaining("OrderPlaced")
                    .withMessageContaining("first.on(OrderPlaced)")
                    .withMessageContaining("second.handle(OrderPlaced)")
                    .satisfies(e -> assertThat(e.code()).isEqualTo("SB-1102"))
                    .satisfies(e -> assertThat(e.action()).contains("Remove one"));
        }
    }

    @Test
    void saysHowOneHandlerTellsTwoNodesApart() {
        try (Handlers handlers = new Handlers(First.class, Second.class)) {
            assertThatExceptionOfType(ConfigurationException.class)
                    .isThrownBy(handlers::scan)
                    .withMessageContaining("from [orders]")
                    .withMessageContaining("from [storefront]")
                    .satisfies(e -> assertThat(e.action()).contains("context.from()"));
        }
    }
}
