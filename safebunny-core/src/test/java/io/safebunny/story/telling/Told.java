// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.story.Story;
import io.safebunny.story.Story.Command;
import java.util.List;

/** What a story says. */
final class Told {

    private Told() {}

    static String words(Story story) {
        return String.join("\n", story.sentences());
    }

    /** Of the only command with this part. */
    static String why(Story story, String part) {
        List<Command> commands = story.next().stream()
                .filter(command -> command.curl().contains(part))
                .toList();
        assertThat(commands).as(part).hasSize(1);
        return commands.get(0).why();
    }
}
