// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.story;

import io.safebunny.autoconfigure.actuate.http.Answers;
import io.safebunny.autoconfigure.actuate.http.Asked;
import io.safebunny.autoconfigure.actuate.http.KnownParametersOnly;
import io.safebunny.failure.MisuseException;
import io.safebunny.story.BunnyStory;
import io.safebunny.story.Story;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.util.MimeType;

/**
 * What the nodes on the broker know of a message or a saga, in order and in words, or as a diagram; blocks for as long as that
 * takes, some seconds at most. Shows neither bodies nor states, so there is nothing to audit. {@link KnownParametersOnly} explains why the selector takes the rest of the path. Thread-safe.
 */
@WebEndpoint(id = "safebunnystory", defaultAccess = Access.READ_ONLY)
public final class StoryEndpoint {

    private static final MimeType JSON = new MimeType("application", "json");
    private static final MimeType TEXT = new MimeType("text", "plain", StandardCharsets.UTF_8);
    private static final String AS_JSON = "json";
    private static final String AS_TEXT = "text";
    private static final String AS_DIAGRAM = "mermaid";

    private final BunnyStory stories;

    public StoryEndpoint(BunnyStory stories) {
        this.stories = stories;
    }

    /** The story of an id that no path can have. */
    @ReadOperation(producesFrom = StoryType.class)
    WebEndpointResponse<Object> ofAny(@Nullable StoryType accepted, @Nullable String about, @Nullable String format) {
        return Answers.of(() -> told(about != null ? about : missing(), accepted, format));
    }

    @ReadOperation(producesFrom = StoryType.class)
    WebEndpointResponse<Object> of(
            @Selector(match = Match.ALL_REMAINING) String[] id, @Nullable StoryType accepted, @Nullable String format) {
        return Answers.of(() -> told(String.join("/", id), accepted, format));
    }

    private static String missing() {
        throw new MisuseException(
                MisuseException.ARGUMENT,
                "No id is given. Ask for GET safebunnystory/{id} with a message id, a correlation id or an idempotency key, or with ?about= for one that no path can have.");
    }

    private WebEndpointResponse<Object> told(String id, @Nullable StoryType accepted, @Nullable String format) {
        String byHeader = accepted == StoryType.TEXT ? AS_TEXT : AS_JSON;
        String wanted =
                format == null ? byHeader : Asked.oneOf("format", format, List.of(AS_JSON, AS_TEXT, AS_DIAGRAM));
        Story story = stories.of(id);
        return switch (wanted) {
            case AS_TEXT -> text(story.toText());
            case AS_DIAGRAM -> text(story.toMermaid());
            default -> new WebEndpointResponse<>(story, WebEndpointResponse.STATUS_OK, JSON);
        };
    }

    private static WebEndpointResponse<Object> text(String text) {
        return new WebEndpointResponse<>(text.getBytes(StandardCharsets.UTF_8), WebEndpointResponse.STATUS_OK, TEXT);
    }
}
