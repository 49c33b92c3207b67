// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.transport;

import static io.safebunny.test.contract.Messages.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.transport.Delivery;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.Pace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A consumption can be slowed down or paused. */
interface PaceRules {

    /** How long the rules watch: long enough for a broken transport to misbehave. */
    Duration WATCHED = Duration.ofMillis(200);

    TransportBench bench();

    @Test
    default void takesNothingWhilePausedAndEverythingAfterwards() {
        TestNode orders = bench().publisher("orders");
        Inbox inbox = bench().subscriber("billing", orders).consume();
        orders.publish(message("before"));
        inbox.awaitIds("before");

        List<String> published = new ArrayList<>(List.of("before"));
        inbox.pace(Pace.PAUSED);
        bench().await().until(() -> {
            int handled = inbox.ids().size();
            String id = "during-" + published.size();
            published.add(id);
            orders.publish(message(id));
            bench().await().pollDelay(WATCHED).until(() -> true);
            return inbox.ids().size() == handled; // the pace takes effect soon, not at once
        });
        inbox.pace(Pace.FULL);

        inbox.awaitIds(published.toArray(String[]::new));
    }

    @Test
    default void takesNothingOfWhatIsThereWhenConsumedPausedAndEverythingAfterwards() {
        TestNode orders = bench().publisher("orders");
        TestNode billing = bench().subscriber("billing", orders);
        Inbox earlier = billing.consume();
        orders.publish(message("before"));
        earlier.awaitIds("before");
        orders.publish(message("still-before"));
        earlier.awaitIds("before", "still-before");
        bench().awaitSuccess(earlier.stop());
        orders.publish(message("first"));
        orders.publish(message("second"));

        Inbox inbox = new Inbox(bench(), Delivery::acknowledge);
        inbox.consumes(billing.transport().consumePaused(billing.queue(), 1, inbox));
        bench().await().during(WATCHED).until(() -> inbox.ids().isEmpty());
        inbox.pace(Pace.FULL);

        inbox.awaitIds("first", "second");
    }

    @Test
    default void takesOneAfterTheOtherWhenToldToAndManyAgainAfterwards() {
        TestNode orders = bench().publisher("orders");
        CountDownLatch gate = bench().gate();
        CountDownLatch secondGate = bench().gate();
        Inbox inbox = bench().subscriber("billing", orders).consume(3, delivery -> {
            String id = String.valueOf(delivery.message().message().messageId());
            Gates.pass(id.startsWith("one") ? gate : secondGate);
            delivery.acknowledge();
        });
        inbox.pace(Pace.ONE_BY_ONE);

        for (int i = 0; i < 5; i++) {
            orders.publish(message("one-" + i));
        }
        bench().await().until(() -> inbox.running() == 1);
        bench().await().during(WATCHED).until(() -> inbox.running() == 1);
        gate.countDown();
        bench().await().untilAsserted(() -> assertThat(inbox.ids()).contains("one-4"));
        assertThat(inbox.mostRunning()).isEqualTo(1);

        inbox.pace(Pace.FULL);
        for (int i = 0; i < 5; i++) {
            orders.publish(message("many-" + i));
        }
        bench().await().until(() -> inbox.running() > 1);
    }

    @Test
    default void leavesWhatIsRunningAloneWhenPaused() {
        TestNode orders = bench().publisher("orders");
        CountDownLatch gate = bench().gate();
        Inbox paused = bench().subscriber("billing", orders).consume(1, blockedAt(gate));
        orders.publish(message("running"));
        paused.awaitIds("running");

        paused.pace(Pace.PAUSED);
        orders.publish(message("waiting"));
        bench().await().during(WATCHED).until(() -> paused.deliveries().get(0).isOpen());
        gate.countDown();
        bench().await().until(() -> paused.running() == 0);
        paused.pace(Pace.FULL);

        paused.awaitIds("running", "waiting");
    }

    @Test
    default void stopsWhilePausedAndStaysStopped() {
        TestNode orders = bench().publisher("orders");
        TestNode billing = bench().subscriber("billing", orders);
        Inbox stopped = billing.consume();
        orders.publish(message("first"));
        stopped.awaitIds("first");
        orders.publish(message("second"));
        stopped.awaitIds("first", "second");
        stopped.pace(Pace.PAUSED);

        bench().awaitSuccess(stopped.stop());
        stopped.pace(Pace.FULL);
        orders.publish(message("for-the-next"));

        billing.consume().awaitIds("for-the-next");
        assertThat(stopped.ids()).containsExactly("first", "second");
    }

    private static DeliveryHandler blockedAt(CountDownLatch gate) {
        return delivery -> {
            Gates.pass(gate);
            delivery.acknowledge();
        };
    }
}
