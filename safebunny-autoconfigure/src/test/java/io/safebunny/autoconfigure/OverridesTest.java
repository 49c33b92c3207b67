// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.policy.RetrySettings;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefaults;
import io.safebunny.handling.MessageScope;
import io.safebunny.identity.IdScheme;
import io.safebunny.identity.MarkerMaskIdScheme;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.serialization.json.JsonMessageSerializer;
import io.safebunny.serialization.json.Serializers;
import io.safebunny.store.MessageStore;
import io.safebunny.time.Timeline;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class OverridesTest {

    @Test
    void everyPartCanBeTheApplicationsOwn() {
        VirtualTimeline timeline = new VirtualTimeline();
        Transport transport =
                new MemoryTransport(new MemoryBroker(timeline, Runnable::run), TopologyOptions.defaults());
        MessageStore store = new MemoryMessageStore(timeline, Duration.ofDays(1));
        Serializers serializers = new Serializers(List.of(new JsonMessageSerializer()));
        IdScheme ids = new MarkerMaskIdScheme();
        MessageScope scope = new MessageScope();
        MeterRegistry meters = new SimpleMeterRegistry();
        ObservationRegistry observations = ObservationRegistry.create();
        Nodes.bare()
                .withBean(Timeline.class, () -> timeline)
                .withBean(Transport.class, () -> transport)
                .withBean(MessageStore.class, () -> store)
                .withBean(Serializers.class, () -> serializers)
                .withBean(IdScheme.class, () -> ids)
                .withBean(MessageScope.class, () -> scope)
                .withBean(MeterRegistry.class, () -> meters)
                .withBean(ObservationRegistry.class, () -> observations)
                .withBean(SafeBunnyOptions.class, () -> SafeBunnyOptions.of("mine"))
                .run(context -> {
                    SafeBunnyParts parts = context.getBean(SafeBunnyParts.class);
                    assertThat(parts.timeline()).isSameAs(timeline);
                    assertThat(parts.transport()).isSameAs(transport);
                    assertThat(parts.store()).isSameAs(store);
                    assertThat(parts.serializers()).isSameAs(serializers);
                    assertThat(parts.idScheme()).isSameAs(ids);
                    assertThat(parts.scope()).isSameAs(scope);
                    assertThat(parts.meterRegistry()).isSameAs(meters);
                    assertThat(parts.observationRegistry()).isSameAs(observations);
                    assertThat(parts.options().node()).isEqualTo("mine");
                });
    }

    @Test
    void settingsCanBeBeansToo() {
        HandlerDefaults defaults =
                new HandlerDefaults(3, new RetrySettings(0, Duration.ZERO, 1, Duration.ZERO, 0), RetryStrategy.none());
        TopologyOptions topology = TopologyOptions.defaults();
        Nodes.memory()
                .withBean(HandlerDefaults.class, () -> defaults)
                .withBean(TopologyOptions.class, () -> topology)
                .run(context -> {
                    assertThat(context.getBean(HandlerDefaults.class)).isSameAs(defaults);
                    assertThat(context.getBean(SafeBunnyOptions.class).topology())
                            .isSameAs(topology);
                });
    }
}
