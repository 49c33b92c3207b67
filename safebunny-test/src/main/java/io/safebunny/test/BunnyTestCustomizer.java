// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test;

import io.safebunny.concurrency.Workers;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.middleware.Group;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.store.MessageStore;
import io.safebunny.store.Retention;
import io.safebunny.test.harness.JournalMiddleware;
import io.safebunny.test.harness.VirtualClock;
import io.safebunny.test.harness.VirtualNode;
import io.safebunny.test.harness.VirtualTaskScheduler;
import io.safebunny.test.harness.broker.RealBroker;
import io.safebunny.test.scheduler.DeterministicScheduler.Limits;
import io.safebunny.time.Timeline;
import io.safebunny.transport.Transport;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneId;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.support.TestPropertySourceUtils;

/**
 * Replaces an application's broker, threads and clocks with those of virtual time.
 *
 * @param broker in memory or real
 * @param mostSteps see {@link BunnyTest#mostSteps()}
 * @param longestStep see {@link BunnyTest#longestStep()}
 */
record BunnyTestCustomizer(Broker broker, long mostSteps, int longestStep) implements ContextCustomizer {

    private static final Logger LOG = LoggerFactory.getLogger(BunnyTestCustomizer.class);

    private static final String NODE = "safeBunnyTestNode";
    private static final String ROOM = "safeBunnyTestBrokerRoom";
    private static final String STORE = "safebunny.store.type";

    @Override
    public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
        BrokerRoom room = broker == Broker.REAL ? BrokerRoom.create() : null;
        TestPropertySourceUtils.addInlinedPropertiesToEnvironment(
                context,
                room == null
                        ? new String[] {"safebunny.transport=memory"}
                        : new String[] {
                            "safebunny.transport=rabbit",
                            "spring.rabbitmq.addresses=" + room.broker().uri()
                        });
        if (room != null && !room.isVirtualHost()) {
            TestPropertySourceUtils.addInlinedPropertiesToEnvironment(
                    context, "safebunny.topology.prefix=" + room.prefix() + "exchange");
        }
        if (!context.getEnvironment().containsProperty(STORE)) {
            context.addBeanFactoryPostProcessor(BunnyTestCustomizer::addStoreIfThereIsNone);
        }
        register(context.getBeanFactory(), (BeanDefinitionRegistry) context.getBeanFactory(), room);
    }

    /** Runs after all configuration, so that the application's own store is known if it has one. */
    private static void addStoreIfThereIsNone(ConfigurableListableBeanFactory beans) {
        if (beans.getBeanNamesForType(MessageStore.class, true, false).length > 0
                || beans.getBeanNamesForType(SafeBunnyOptions.class, true, false).length == 0) {
            return;
        }
        LOG.warn(
                "The application has no message store: this test gives it one in memory, which is no part of its transactions."
                        + " Without a store it would handle twice what is delivered twice; set {}=none to test that, or memory to say that this is intended",
                STORE);
        add((BeanDefinitionRegistry) beans, "safeBunnyTestStore", MemoryMessageStore.class, () -> {
            SafeBunnyOptions options = beans.getBean(SafeBunnyOptions.class);
            return new MemoryMessageStore(
                    beans.getBean(Timeline.class), new Retention(options.retention(), options.poisonRetention()));
        });
    }

    private void register(ListableBeanFactory beans, BeanDefinitionRegistry registry, @Nullable BrokerRoom room) {
        VirtualNode node = new VirtualNode(
                new Limits(mostSteps, Duration.ofSeconds(longestStep)),
                room == null ? null : new RealBroker.Room(room.broker(), room.prefix()));
        if (room != null) {
            add(registry, ROOM, BrokerRoom.class, () -> room);
        }
        Supplier<SafeBunnyOptions> options = () -> beans.getBean(SafeBunnyOptions.class);
        Supplier<String> name = () -> options.get().node();
        add(registry, NODE, VirtualNode.class, () -> node);
        add(registry, "safeBunnyTestTimeline", Timeline.class, () -> node.process()
                .timeline());
        add(
                registry,
                "safeBunnyTestWorkers",
                Workers.class,
                () -> new Workers(node.process().executor()));
        node.memory().ifPresent(memory -> add(registry, "safeBunnyTestBroker", MemoryBroker.class, () -> memory));
        add(
                registry,
                "safeBunnyTestTransport",
                Transport.class,
                () -> node.transport(options.get().node(), options.get().topology()));
        add(
                registry,
                "safeBunnyTestClock",
                Clock.class,
                () -> new VirtualClock(node.process().timeline(), ZoneId.systemDefault()));
        add(registry, "taskScheduler", TaskScheduler.class, () -> new VirtualTaskScheduler(node.process()));
        for (Group group : Group.values()) {
            add(
                    registry,
                    "safeBunnyTestJournal" + group,
                    ConsumeMiddleware.class,
                    () -> new JournalMiddleware(group, name, node.journal()));
        }
        add(registry, "bunnyHarness", BunnyHarness.class, () -> new BunnyHarness(node, beans));
    }

    /** Depends on the node, and the node on its part of the broker, so that beans are closed in the right order. */
    private static <T> void add(BeanDefinitionRegistry registry, String name, Class<T> type, Supplier<T> bean) {
        RootBeanDefinition definition = new RootBeanDefinition(type, bean);
        if (!type.equals(ConsumeMiddleware.class)) {
            definition.setPrimary(true);
        }
        if (!name.equals(NODE) && !name.equals(ROOM)) {
            definition.setDependsOn(NODE);
        } else if (name.equals(NODE) && registry.containsBeanDefinition(ROOM)) {
            definition.setDependsOn(ROOM);
        }
        registry.registerBeanDefinition(name, definition);
    }
}
