// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.PoisonMessageException;
import io.safebunny.SafeBunnyEvent;
import io.safebunny.SafeBunnyEvent.MessageGivenUp;
import io.safebunny.SafeBunnyEvent.MessagePoisoned;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.springframework.context.event.EventListener;

/** Beans are told of events, in both ways, and one that throws changes nothing for the other. */
class EventListenersTest {

    static class Declining {
        @BunnyHandler(from = "shop")
        void on(OrderPlaced order) {
            throw new PoisonMessageException("declined");
        }
    }

    static class OfSpring {
        final Queue<MessageGivenUp> told = new ConcurrentLinkedQueue<>();

        @EventListener
        void on(MessageGivenUp event) {
            told.add(event);
            throw new IllegalStateException("of the listener");
        }
    }

    static class OfSafeBunny implements SafeBunnyEvent.Listener {
        final Queue<SafeBunnyEvent> told = new ConcurrentLinkedQueue<>();

        @Override
        public void on(SafeBunnyEvent event) {
            told.add(event);
        }
    }

    @Test
    void areToldOfAMessageThatIsGivenUp() {
        Nodes.memory()
                .withBean(Declining.class)
                .withBean(OfSpring.class)
                .withBean(OfSafeBunny.class)
                .run(context -> {
                    String id = context.getBean(Bunny.class)
                            .publish(new OrderPlaced("1"))
                            .messageId();

                    Queue<SafeBunnyEvent> told = context.getBean(OfSafeBunny.class).told;
                    await().until(() -> told.size() == 2);
                    assertThat(told).hasOnlyElementsOfTypes(MessagePoisoned.class, MessageGivenUp.class);
                    assertThat(context.getBean(OfSpring.class).told)
                            .singleElement()
                            .satisfies(event -> {
                                assertThat(event.messageId()).isEqualTo(id);
                                assertThat(event.reason()).isEqualTo("handler-failed");
                            });
                });
    }
}
