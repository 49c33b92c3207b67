// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.safebunny.BunnyHandler;
import io.safebunny.PublishOptions;
import io.safebunny.ScheduledMessages;
import io.safebunny.failure.MisuseException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

/** The listing about scheduled messages, compiled and run. */
class ScheduledListingTest {

    static final Logger log = LoggerFactory.getLogger(ScheduledListingTest.class);

    record PaymentReminder(String orderId) {}

    static class Reminders {

        private final ScheduledMessages scheduled;

        Reminders(ScheduledMessages scheduled) {
            this.scheduled = scheduled;
        }

        String remind(String order, Instant dueDate) { // store the result with the order
            return scheduled.schedule(
                    new PaymentReminder(order), PublishOptions.none().withDeliverAt(dueDate));
        }

        void postpone(String reminder, Instant dueDate) {
            scheduled.move(reminder, dueDate);
        }

        void paid(String reminder) {
            if (!scheduled.cancel(reminder)) {
                log.info("The reminder was faster");
            }
        }
    }

    static class Mail {
        final List<String> sent = new CopyOnWriteArrayList<>();

        @BunnyHandler(from = "orders")
        void on(PaymentReminder reminder) {
            sent.add(reminder.orderId());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    private final ApplicationContextRunner node = new ApplicationContextRunner()
            .withUserConfiguration(Application.class)
            .withPropertyValues("safebunny.node=orders", "safebunny.transport=memory", "safebunny.store.type=memory")
            .withBean(Reminders.class)
            .withBean(Mail.class);

    @Test
    void remindsUnlessItIsCancelled() {
        node.withPropertyValues("safebunny.scheduling.enabled=true").run(context -> {
            Reminders reminders = context.getBean(Reminders.class);
            Instant never = Instant.now().plusSeconds(3_600);
            String paid = reminders.remind("paid", never);
            String postponed = reminders.remind("postponed", never);
            reminders.paid(paid);
            reminders.postpone(postponed, Instant.EPOCH);

            await().untilAsserted(
                            () -> assertThat(context.getBean(Mail.class).sent).containsExactly("postponed"));
        });
    }

    @Test
    void isToldWhatToDoWhereNothingIsKept() {
        node.run(context -> assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> context.getBean(Reminders.class).remind("1", Instant.EPOCH))
                .withMessageContaining("safebunny.scheduling.enabled=true"));
        node.withPropertyValues("safebunny.scheduling.enabled=true", "safebunny.store.type=none")
                .run(context -> assertThat(context)
                        .hasFailed()
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("Scheduled messages need a store"));
    }
}
