// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.story.Story.Command;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests of a story that are pasted into one shell reach the node that they are for, or none. */
class StoryTextTest {

    private static Story storyFor(String node) {
        NodeStory own = new NodeStory(
                "orders",
                "orders-1",
                Instant.EPOCH,
                null,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                false);
        Command look = new Command(
                "look", node, "curl -sS \"${ACTUATOR:-http://localhost:8080/actuator}/safebunnypoison/m-1\"");
        return new Story("m-1", Instant.EPOCH, null, List.of(), List.of(look), List.of(), List.of(own), List.of());
    }

    private static String linesFor(String node) {
        Story story = storyFor(node);
        String text = story.toText();
        assertThat(text).endsWith(story.next().get(0).curl() + "\n"); // the same, whoever reads it and how
        return text;
    }

    @Test
    void theNodeThatWasAskedIsAtTheUsualPlace() {
        assertThat(linesFor("orders"))
                .contains("curl -sS \"${ACTUATOR:-http://localhost:8080/actuator}/safebunnypoison/m-1\"\n");
    }

    @Test
    void anotherNodeHasAVariableThatNamesItWhileItIsNotSet() {
        assertThat(linesFor("billing-eu.v2"))
                .contains("# on node billing-eu.v2: look\n")
                .contains(
                        "curl -sS \"${ACTUATOR_BILLING_EU_V2:?set it to where the endpoints of node billing-eu.v2 are}/safebunnypoison/m-1\"\n");
    }

    @Test
    void whatSomebodyClaimsToBeBecomesNoPartOfTheShellsGrammar() {
        assertThat(linesFor("a}\"; rm $(x) `y`"))
                .contains(
                        "\"${ACTUATOR_A____RM___X___Y_:?set it to where the endpoints of node a____rm___x___y_ are}/");
    }
}
