// SPDX-License-Identifier: Apache-2.0
package io.safebunny.harness;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.harness.Trips.Enquiry;
import io.safebunny.test.Broker;
import io.safebunny.test.BunnyHarness;
import io.safebunny.test.BunnyTest;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.beans.factory.annotation.Autowired;

@BunnyTest(classes = Trips.class, broker = Broker.REAL)
class TripsOnRabbitIT extends TripRules {

    @Autowired
    private ConnectionFactory connections;

    /** Also that the application's own settings lead to the same broker. */
    @Test
    void messagesAreInTheQueuesOfTheBroker(BunnyHarness bunny) {
        breaker.open(Enquiry.class, Duration.ofHours(1));
        bunny.as("storefront").publish(new Enquiry(1));
        bunny.runUntilIdle();

        assertThat(new RabbitAdmin(connections).getQueueInfo("trips-Enquiry"))
                .extracting(queue -> queue.getMessageCount(), queue -> queue.getConsumerCount())
                .containsExactly(1L, 0);
    }
}
