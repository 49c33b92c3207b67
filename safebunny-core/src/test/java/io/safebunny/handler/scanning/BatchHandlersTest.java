// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.handler.Grouping;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.message.MessageTypes;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.annotation.AliasFor;
import org.springframework.stereotype.Component;

/** Methods that take a list of messages. */
class BatchHandlersTest {

    @Component
    static class Plain {
        final List<Object> got = new ArrayList<>();

        @BunnyHandler(from = "orders")
        void on(List<OrderPlaced> orders) {
            got.add(orders);
        }
    }

    @Component
    static class WithContexts {
        final List<Object> got = new ArrayList<>();

        @BunnyHandler(from = "orders", batchSize = "${size}", prefetch = "20")
        void on(List<MessageContext> contexts, List<? extends OrderPlaced> orders) {
            got.add(orders);
            got.add(contexts);
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @BunnyHandler(from = "orders", batchSize = "5")
    @interface Bulk {
        @AliasFor(annotation = BunnyHandler.class)
        String prefetch() default "7";
    }

    @Component
    static class MetaAnnotated {
        @Bulk
        void on(List<OrderPlaced> orders) {}
    }

    abstract static class Inserting<T> {
        @BunnyHandler(from = "orders")
        void on(List<T> all) throws IOException {
            throw new IOException("disk");
        }
    }

    @Component
    static class InsertingOrders extends Inserting<OrderPlaced> {}

    @BunnyHandler(from = "orders", batchSize = "30")
    @Component
    static class OfClass {
        @BunnyHandler
        void on(OrderPlaced order) {}
    }

    @BunnyHandler(from = "orders", batchSize = "30")
    @Component
    static class BatchOfClass {
        @BunnyHandler
        void on(List<OrderPlaced> orders) {}
    }

    /** As {@code @Transactional} does. */
    @Component
    static class Proxied implements BeanPostProcessor {
        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            if (!(bean instanceof Plain)) {
                return bean;
            }
            ProxyFactory proxies = new ProxyFactory(bean);
            proxies.setProxyTargetClass(true);
            return proxies.getProxy();
        }
    }

    private static final List<Object> TWO = List.of(new OrderPlaced("a", 1), new OrderPlaced("b", 2));
    private static final List<MessageContext> CONTEXTS =
            List.of(Handlers.message(Map.of()), Handlers.message(Map.of("n", 2)));

    @Test
    void aListOfMessagesIsABatch() throws Exception {
        try (Handlers handlers = new Handlers(Plain.class)) {
            HandlerDefinition handler = handlers.one();

            assertThat(handler.type()).isEqualTo(MessageTypes.nameOf(OrderPlaced.class));
            assertThat(handler.payloadType()).isEqualTo(OrderPlaced.class);
            assertThat(handler.grouping()).isEqualTo(Grouping.inBatch(100));
            assertThat(handler.prefetch()).as("the next batch can wait").isEqualTo(200);
            handler.invoker().invokeBatch(TWO, CONTEXTS);
            handler.invoker().invoke(TWO.get(0), CONTEXTS.get(0));
            assertThat(handlers.bean(Plain.class).got).containsExactly(TWO, TWO.subList(0, 1));
        }
    }

    @Test
    void contextsAreInTheOrderOfPayloads() throws Exception {
        try (Handlers handlers = new Handlers(Map.of("size", "10"), WithContexts.class)) {
            HandlerDefinition handler = handlers.one();

            assertThat(handler.payloadType()).isEqualTo(OrderPlaced.class);
            assertThat(handler.grouping()).isEqualTo(Grouping.inBatch(10));
            assertThat(handler.prefetch()).isEqualTo(20);
            handler.invoker().invokeBatch(TWO, CONTEXTS);
            assertThat(handlers.bean(WithContexts.class).got).containsExactly(TWO, CONTEXTS);
        }
    }

    @Test
    void annotationsOfOnesOwnCanHaveTheSize() {
        try (Handlers handlers = new Handlers(MetaAnnotated.class)) {
            assertThat(handlers.one().grouping()).isEqualTo(Grouping.inBatch(5));
            assertThat(handlers.one().prefetch()).isEqualTo(7);
        }
    }

    @Test
    void typeVariablesAreResolvedAndExceptionsNotWrapped() {
        try (Handlers handlers = new Handlers(InsertingOrders.class)) {
            HandlerDefinition handler = handlers.one();

            assertThat(handler.payloadType()).isEqualTo(OrderPlaced.class);
            assertThatThrownBy(() -> handler.invoker().invokeBatch(TWO, CONTEXTS))
                    .isExactlyInstanceOf(IOException.class);
        }
    }

    @Test
    void theSizeOfAClassIsForItsBatchHandlersOnly() {
        try (Handlers handlers = new Handlers(OfClass.class)) {
            assertThat(handlers.one().grouping()).isEqualTo(Grouping.NONE);
        }
        try (Handlers handlers = new Handlers(BatchOfClass.class)) {
            assertThat(handlers.one().grouping()).isEqualTo(Grouping.inBatch(30));
        }
    }

    @Test
    void proxiesAreCalled() throws Exception {
        try (Handlers handlers = new Handlers(Plain.class, Proxied.class)) {
            HandlerDefinition handler = handlers.one();

            handler.invoker().invokeBatch(TWO, CONTEXTS);
            assertThat(handler.grouping().isBatch()).isTrue();
        }
    }
}
