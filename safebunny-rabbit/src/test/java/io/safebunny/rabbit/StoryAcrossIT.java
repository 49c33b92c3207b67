// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.BunnyOperations.Scope;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.rabbit.instance.InstanceOptions;
import io.safebunny.rabbit.instance.Job;
import io.safebunny.rabbit.instance.NodeUnderTest;
import io.safebunny.story.NodeStory;
import io.safebunny.story.Story;
import io.safebunny.story.Story.Asked;
import io.safebunny.test.broker.TestBroker;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two nodes on a real broker: the one that has published finds out from the other what became of its message. */
@Timeout(60)
class StoryAcrossIT {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final String SECRET = "card 4111";

    private final String suffix = UUID.randomUUID().toString().substring(0, 8);
    private final String shop = "shop." + suffix;
    private final String billing = "billing." + suffix;
    private final RabbitBench rabbit = new RabbitBench();

    @AfterEach
    void deleteQueues() {
        rabbit.deleteQueues(billing, "Job");
        rabbit.deleteQueues(shop, "Job");
        rabbit.close();
    }

    private NodeUnderTest start(String node, String from) {
        return NodeUnderTest.startWith(
                new InstanceOptions(node, TestBroker.shared(), 10, 20, Duration.ZERO, true),
                bunny -> List.of(new HandlerDefinition(
                        "Job",
                        "Job",
                        Job.class,
                        List.of(from),
                        10,
                        RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.of(3, Duration.ofMinutes(5))),
                        (payload, context) -> {
                            throw new IllegalStateException(SECRET);
                        })));
    }

    private static String told(Story story) {
        return String.join(" ", story.sentences());
    }

    @Test
    void oneNodeTellsWhatTheOtherOneHasTried() {
        try (NodeUnderTest asking = start(shop, billing);
                NodeUnderTest failing = start(billing, shop)) {
            Published published = asking.bunny()
                    .publish(new Job("1", false), PublishOptions.none().withCorrelationId("order-" + suffix));

            await().atMost(SOON).untilAsserted(() -> assertThat(
                            told(asking.stories().of("order-" + suffix)))
                    .contains("%s has failed to handle `Job` (%s) once".formatted(billing, published.messageId())));
            var paused = failing.operations().pause("Job", Duration.ofHours(1), Scope.INSTANCE, SECRET, SECRET);
            assertThat(paused.instances()).isNotEmpty();
            await().atMost(SOON) // who asks the same within a second gets the same answer
                    .untilAsserted(() -> assertThat(told(asking.stories().of("order-" + suffix)))
                            .contains("by an operator (ask %s why), at instance ".formatted(billing)));
            long before = System.nanoTime();
            Story story = asking.stories().of("order-" + suffix);
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(3));

            assertThat(told(story))
                    .contains("(IllegalStateException; ask %s for its text)".formatted(billing), "why), at instance ")
                    .doesNotContain(SECRET);
            assertThat(story.nodes())
                    .filteredOn(part -> part.node().equals(billing))
                    .singleElement()
                    .extracting(NodeStory::messages)
                    .asInstanceOf(InstanceOfAssertFactories.LIST)
                    .hasSize(1);
            Set<String> answered = story.asked().stream()
                    .filter(Asked::answered)
                    .map(Asked::node)
                    .collect(Collectors.toSet());
            assertThat(answered).contains(shop, billing);

            // nobody but billing has a record of the message itself
            assertThat(told(asking.stories().of(published.messageId())))
                    .contains("%s has failed to handle `Job`".formatted(billing));
        }
    }

    @Test
    void aNodeThatIsNotThereIsNamed() {
        try (NodeUnderTest asking = start(shop, billing)) {
            assertThat(told(asking.stories().of("order-" + suffix)))
                    .contains("What %s knows is missing here: not heard of within a day".formatted(billing));
        }
    }
}
