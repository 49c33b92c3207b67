// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.time.SystemTimeline;
import io.safebunny.transport.Transport;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class MemoryTransportTest {

    @Test
    void handlerGetsWhatItsNodePublishes() {
        Nodes.memory().withBean(FromShop.class).run(context -> {
            String id =
                    context.getBean(Bunny.class).publish(new OrderPlaced("42")).messageId();

            Handled handled = context.getBean(FromShop.class).received.next();
            assertThat(handled.payload()).isEqualTo(new OrderPlaced("42"));
            assertThat(handled.messageId()).isEqualTo(id);
            assertThat(handled.from()).isEqualTo("shop");
        });
    }

    @Test
    void warnsThatMessagesAreLost(CapturedOutput output) {
        Nodes.memory().run(context -> {
            assertThat(context.getBean(Transport.class)).isInstanceOf(MemoryTransport.class);
            assertThat(output).contains("WARN").contains("Messages stay in this process [safebunny.transport=memory]");
        });
    }

    @Test
    void contextsWithOneBrokerTalkToEachOther() {
        try (SystemTimeline timeline = new SystemTimeline("shared")) {
            ExecutorService threads = Executors.newCachedThreadPool();
            try {
                MemoryBroker broker = new MemoryBroker(timeline, threads);
                Nodes.memory()
                        .withBean(MemoryBroker.class, () -> broker)
                        .withPropertyValues("safebunny.node=billing")
                        .withBean(FromShop.class)
                        .run(billing -> Nodes.memory()
                                .withBean(MemoryBroker.class, () -> broker)
                                .run(shop -> {
                                    shop.getBean(Bunny.class).publish(new OrderPlaced("7"));
                                    assertThat(billing.getBean(FromShop.class)
                                                    .received
                                                    .next()
                                                    .payload())
                                            .isEqualTo(new OrderPlaced("7"));
                                }));
            } finally {
                threads.shutdownNow();
            }
        }
    }

    @Test
    void lazyInitializationDoesNotKeepHandlersFromStarting() {
        Nodes.memory()
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .withBean(FromShop.class)
                .run(context -> {
                    context.getBean(Bunny.class).publish(new OrderPlaced("8"));
                    assertThat(context.getBean(FromShop.class).received.next().payload())
                            .isEqualTo(new OrderPlaced("8"));
                });
    }

    record Handled(OrderPlaced payload, String messageId, String from) {}

    static class FromShop {
        final Received<Handled> received = new Received<>();

        @BunnyHandler(from = "shop")
        void on(OrderPlaced payload, MessageContext context) {
            received.add(new Handled(payload, context.messageId(), context.from()));
        }
    }
}
