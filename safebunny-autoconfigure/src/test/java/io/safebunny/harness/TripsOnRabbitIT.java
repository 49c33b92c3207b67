// SPDX-License-Identifier: Apache-2.0
package io.safebunny.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.safebunny.harness.Trips.Checked;
import io.safebunny.harness.Trips.Enquiry;
import io.safebunny.harness.Trips.Offer;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.test.Broker;
import io.safebunny.test.BunnyHarness;
import io.safebunny.test.BunnyTest;
import io.safebunny.test.broker.TestBroker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.beans.factory.annotation.Autowired;

@BunnyTest(classes = Trips.class, broker = Broker.REAL, longestStep = 20)
@Tag("once")
class TripsOnRabbitIT extends TripRules {

    @Autowired
    private ConnectionFactory connections;

    @Autowired
    private SafeBunnyOptions options;

    /** Also that the application's own settings lead to the same broker. */
    @Test
    void messagesAreInTheQueuesOfTheBroker(BunnyHarness bunny) {
        breaker.open(Enquiry.class, Duration.ofHours(1));
        bunny.as("storefront").publish(new Enquiry(1));
        bunny.runUntilIdle();

        assertThat(new RabbitAdmin(connections).getQueueInfo(OnBroker.queue("trips-Enquiry", options)))
                .extracting(queue -> queue.getMessageCount(), queue -> queue.getConsumerCount())
                .containsExactly(1L, 0);
    }

    @Test
    void whatWasDeliveredBeforeTheConnectionIsLostComesAgain(BunnyHarness bunny) {
        requireOurBroker();
        IntStream.range(0, 20).forEach(number -> bunny.as("storefront").publish(new Enquiry(number)));
        lose("trips:consume");

        bunny.runUntilIdle();

        assertThat(bunny.messages())
                .handled(Enquiry.class, 20)
                .published(Offer.class, 20)
                .nothingSetAside();
    }

    @Test
    void whatIsBeingHandledWhenTheConnectionIsLostComesAgainAndIsHandledOnce(BunnyHarness bunny) {
        requireOurBroker();
        AtomicBoolean first = new AtomicBoolean(true);
        offers.check = () -> {
            if (first.getAndSet(false)) {
                lose("trips:consume");
            }
        };
        IntStream.range(0, 5).forEach(number -> bunny.as("storefront").publish(new Checked(number)));

        bunny.runUntilIdle();

        assertThat(bunny.messages()).published(Offer.class, 5).nothingSetAside();
        assertThat(offers.asked).containsExactlyInAnyOrder(0, 1, 2, 3, 4);
    }

    @Test
    void whatIsPublishedWhileThereIsNoConnectionWaitsForOne(BunnyHarness bunny) {
        requireOurBroker();
        offers.check = () -> lose("trips:publish");
        String saga = bunny.as("storefront").publish(new Checked(1));

        bunny.runUntilIdle();

        assertThat(bunny.saga(saga))
                .published(Offer.class, 1)
                .handled(Checked.class, 1)
                .nothingSetAside();
    }

    private static void requireOurBroker() {
        assumeTrue(TestBroker.shared().isPrivate(), "connections can only be closed on a broker of our own");
    }

    private void lose(String connection) {
        TestBroker.shared().createVirtualHost(connections.getVirtualHost()).closeConnection(connection);
    }
}
