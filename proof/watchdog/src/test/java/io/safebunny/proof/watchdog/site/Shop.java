// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog.site;

import io.safebunny.BunnyHandler;
import io.safebunny.PoisonMessageException;
import io.safebunny.actuate.BodyMasker;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerSource;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Starts;
import io.safebunny.store.MessageStore;
import io.safebunny.store.Retention;
import io.safebunny.time.Timeline;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.actuate.audit.AuditEventRepository;
import org.springframework.boot.actuate.audit.InMemoryAuditEventRepository;
import org.springframework.boot.actuate.audit.listener.AuditListener;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** Node {@code shop}, which sets messages aside at their first failure. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({Shop.Bank.class, Shop.Desk.class, Shop.Order.class, StoreSwitch.class, Challenges.class})
public class Shop {

    /** @param note of the customer, which the bank quotes when it refuses */
    public record Charge(String orderId, String note) {}

    public record OrderPlaced(String orderId) {}

    public record ReminderDue(String orderId) {}

    /** Begins an order. */
    public record PlaceOrder(String note) {}

    /** Has the order charge. */
    public record Pay(String note) {}

    /** What the order cannot take. */
    public record Add(String note) {}

    /** A bank that is closed, until it opens. Thread-safe. */
    public static class Bank {

        private final Set<String> charged = ConcurrentHashMap.newKeySet();
        private volatile boolean isOpen;

        @BunnyHandler(from = "shop")
        void on(Charge charge) {
            if (!isOpen) {
                throw new IllegalStateException("the bank is closed: " + charge.note());
            }
            charged.add(charge.orderId());
        }

        /** The orders that it has charged. */
        public Set<String> charged() {
            return Set.copyOf(charged);
        }

        public void open() {
            isOpen = true;
        }
    }

    /** Takes what needs no care. */
    public static class Desk {

        @BunnyHandler(from = "shop")
        void on(OrderPlaced order) {}

        @BunnyHandler(from = "shop")
        void on(ReminderDue reminder) {}
    }

    /** An order. */
    @BunnySaga
    @ConditionalOnBooleanProperty(name = "site.sagas", matchIfMissing = true)
    public static class Order {

        public record State(String note) {}

        @Starts
        @BunnyHandler(from = "shop")
        State on(PlaceOrder order) {
            return new State(order.note());
        }

        @BunnyHandler(from = "shop")
        void on(Pay pay, SagaContext saga) {
            saga.step("charge", new Charge(saga.sagaId(), pay.note()));
            saga.timeout("payment", Duration.ofDays(2));
        }

        @OnTimeout("payment")
        void notPaid(SagaContext saga) {
            saga.fail("nobody has paid");
        }

        @BunnyHandler(from = "shop")
        void on(Add add) {
            throw new PoisonMessageException("nothing can be added: " + add.note());
        }
    }

    @Bean
    @ConditionalOnBooleanProperty(name = "site.store", matchIfMissing = true)
    MessageStore store(Timeline timeline, StoreSwitch store) {
        return store.before(new MemoryMessageStore(timeline, Retention.of(Duration.ofDays(7))));
    }

    /** Keeps what is audited, if somebody wants that. */
    @Bean
    @ConditionalOnBooleanProperty(name = "site.audit")
    AuditEventRepository auditEvents() {
        return new InMemoryAuditEventRepository();
    }

    /** Beside Spring Security, Spring Boot has one of its own. */
    @Bean
    @ConditionalOnBooleanProperty(name = "site.audit")
    AuditListener auditListener(AuditEventRepository repository) {
        return new AuditListener(repository);
    }

    /** Masks what follows the word pin. */
    @Bean
    BodyMasker masker() {
        return new BodyMasker() {
            @Override
            public String mask(PoisonedMessage message, byte[] body) {
                return masked(new String(body, StandardCharsets.UTF_8));
            }

            @Override
            public String maskState(SagaView saga) {
                return masked(saga.state());
            }

            @Override
            public Map<String, Object> maskHeaders(PoisonedMessage message) {
                return message.headers();
            }
        };
    }

    private static String masked(String text) {
        return text.replaceAll("pin \\d+", "pin ***");
    }

    /** @param types how many more types the node takes: {@code Type0}, {@code Type1} and so on */
    @Bean
    HandlerSource others(@Value("${site.types:0}") int types) {
        List<HandlerDefinition> handlers =
                IntStream.range(0, types).mapToObj(i -> other("Type" + i)).toList();
        return () -> handlers;
    }

    private static HandlerDefinition other(String type) {
        return new HandlerDefinition(
                "others.on(" + type + ")",
                type,
                Map.class,
                List.of("shop"),
                1,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                (payload, context) -> {});
    }
}
