// SPDX-License-Identifier: Apache-2.0
package io.safebunny.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.BunnyCircuitBreaker;
import io.safebunny.harness.Trips.Enquiry;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.test.Broker;
import io.safebunny.test.BunnyHarness;
import io.safebunny.test.BunnyTest;
import java.time.Duration;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.beans.factory.annotation.Autowired;

@BunnyTest(classes = Trips.class, broker = Broker.REAL, properties = "safebunny.node=trips", longestStep = 1)
@Tag("once")
class LostOnRabbitIT {

    @Autowired
    private ConnectionFactory connections;

    @Autowired
    private SafeBunnyOptions options;

    @Autowired
    private BunnyCircuitBreaker breaker;

    /** The second time because of what is left of the first. */
    @RepeatedTest(2)
    void whatTheBrokerDoesNotDeliverIsNamed(BunnyHarness bunny) {
        breaker.open(Enquiry.class, Duration.ofHours(1));
        bunny.as("storefront").publish(new Enquiry(1));
        bunny.runUntilIdle();
        assertThat(new RabbitAdmin(connections).purgeQueue(OnBroker.queue("trips-Enquiry", options)))
                .isOne();

        assertThatThrownBy(() -> bunny.advance(Duration.ofHours(2)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContainingAll(
                        "does not become idle",
                        "Nothing came for 1 s of real time, but there is still to come: 1 message(s) of queue trips-Enquiry",
                        "published Enquiry");
    }
}
