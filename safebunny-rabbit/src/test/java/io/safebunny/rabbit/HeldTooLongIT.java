// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.safebunny.rabbit.instance.InstanceOptions;
import io.safebunny.rabbit.instance.Job;
import io.safebunny.rabbit.instance.NodeUnderTest;
import io.safebunny.test.broker.RabbitNode;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** A handler keeps a message longer than the broker's delivery acknowledgement timeout. */
@Timeout(180)
class HeldTooLongIT {

    private static final String NODE = "held";

    @Test
    void theBrokerTakesItBackAndTheNodeGoesOnWithOneClearLine() {
        assumeThat(RabbitNode.installedRoot()).as("an installed server").isPresent();
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger("io.safebunny.rabbit.consume.ConsumerControl");
        log.start();
        logger.addAppender(log);
        logger.setLevel(Level.WARN);
        Queue<String> begun = new ConcurrentLinkedQueue<>();
        Queue<String> handled = new ConcurrentLinkedQueue<>();
        CountDownLatch held = new CountDownLatch(1);
        try (RabbitNode broker = RabbitNode.start()) {
            // how often the broker looks, and after how long a delivery is too old
            broker.control(
                    "eval",
                    "application:set_env(rabbit, channel_tick_interval, 1000), application:set_env(rabbit, consumer_timeout, 3000).");
            InstanceOptions options = new InstanceOptions(NODE, broker.broker(), 10, 20, Duration.ZERO, false);
            try (NodeUnderTest node = NodeUnderTest.start(options, (payload, context) -> {
                String id = ((Job) payload).id();
                begun.add(id);
                if (id.equals("long") && begun.stream().filter(id::equals).count() == 1) {
                    held.await();
                }
                handled.add(id);
            })) {
                node.bunny().publish(new Job("long", false));
                await().until(() -> begun.contains("long"));

                await().atMost(Duration.ofSeconds(90))
                        .until(() -> begun.stream().filter("long"::equals).count() == 2);
                node.bunny().publish(new Job("next", false));
                await().atMost(Duration.ofSeconds(30)).until(() -> handled.contains("next"));
                assertThat(node.status().usable()).isTrue();
                held.countDown();
                await().until(() -> handled.stream().filter("long"::equals).count() == 2);
                for (int i = 0; i < 100; i++) { // the late acknowledgement must not hurt them
                    node.bunny().publish(new Job("later-" + i, false));
                }
                await().atMost(Duration.ofSeconds(30)).until(() -> handled.size() == 103);
            }
        } finally {
            logger.detachAppender(log);
            logger.setLevel(null);
        }
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .filteredOn(line -> line.contains(NODE + "-Job"))
                .singleElement()
                .asString()
                .containsAnyOf("held too long", "timeout", "timed out");
    }
}
