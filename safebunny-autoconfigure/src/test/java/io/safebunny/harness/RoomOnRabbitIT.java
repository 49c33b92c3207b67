// SPDX-License-Identifier: Apache-2.0
package io.safebunny.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.memory.MemoryBroker;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.test.Broker;
import io.safebunny.test.BunnyHarness;
import io.safebunny.test.BunnyTest;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.test.annotation.DirtiesContext.HierarchyMode;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextManager;

@Tag("once")
class RoomOnRabbitIT {

    private static final String CONFIGURED = "safebunny.test.broker";

    @BunnyTest(classes = Trips.class, broker = Broker.REAL, properties = "safebunny.node=trips")
    static class Declared {}

    /** The context is another one, because the broker is. */
    @BunnyTest(classes = Trips.class, broker = Broker.MEMORY, properties = "safebunny.node=trips")
    static class InMemory {}

    @Test
    void aContextTakesItsQueuesAndItsThreadsWithIt() {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        TestContext test = new TestContextManager(Declared.class).getTestContext();
        ConnectionFactory factory = test.getApplicationContext().getBean(ConnectionFactory.class);
        CachingConnectionFactory own =
                new CachingConnectionFactory(((CachingConnectionFactory) factory).getRabbitConnectionFactory());
        String queue =
                OnBroker.queue("trips-Enquiry", test.getApplicationContext().getBean(SafeBunnyOptions.class));
        assertThat(OnBroker.has(queue, own)).isTrue();
        test.getApplicationContext().getBean(BunnyHarness.class).as("storefront");
        test.markApplicationContextDirty(HierarchyMode.EXHAUSTIVE);

        own.resetConnection();
        assertThat(OnBroker.has(queue, own)).isFalse();
        own.destroy();
        await().untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> !before.contains(thread))
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("safebunny-test")));
    }

    @BunnyTest(classes = Trips.class, properties = "safebunny.node=trips")
    static class AsConfigured {}

    @Test
    void theBrokerIsChosenFromOutsideTheClass() {
        String before = System.getProperty(CONFIGURED, "");
        try {
            System.setProperty(CONFIGURED, "memory");
            assertThat(isInMemory(AsConfigured.class)).isTrue();
            System.setProperty(CONFIGURED, "real");
            assertThat(isInMemory(AsConfigured.class)).isFalse();
        } finally {
            System.setProperty(CONFIGURED, before);
        }
    }

    private static boolean isInMemory(Class<?> test) {
        TestContext context = new TestContextManager(test).getTestContext();
        boolean isInMemory = context.getApplicationContext()
                        .getBeanProvider(MemoryBroker.class)
                        .getIfAvailable()
                != null;
        context.markApplicationContextDirty(HierarchyMode.EXHAUSTIVE);
        return isInMemory;
    }

    @Test
    void contextsOfBothBrokersStandSideBySide() {
        TestContext real = new TestContextManager(Declared.class).getTestContext();
        TestContext memory = new TestContextManager(InMemory.class).getTestContext();

        assertThat(real.getApplicationContext()).isNotSameAs(memory.getApplicationContext());
        real.markApplicationContextDirty(HierarchyMode.EXHAUSTIVE);
    }
}
