// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.autoconfigure.actuate.http.Answers;
import io.safebunny.autoconfigure.actuate.http.Asked;
import io.safebunny.autoconfigure.actuate.http.Checked;
import io.safebunny.autoconfigure.actuate.http.KnownParametersOnly;
import io.safebunny.autoconfigure.actuate.http.Rights;
import io.safebunny.message.Names;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * Routes requests to the sections of the node. For Spring all parameters are optional, so that our own response can name the missing one
 * and say what to write. {@link KnownParametersOnly} explains why selectors take the rest of the path. Read-only by default; {@link Rights}
 * are asked before each change. Thread-safe.
 */
@WebEndpoint(id = "safebunny", defaultAccess = Access.READ_ONLY)
final class NodeEndpoint {

    private static final EndpointId ID = EndpointId.of("safebunny");
    private static final Section UNKNOWN = (path, asked, user) -> null;

    private final NodeViews views;
    private final SortedMap<String, Section> sections;
    private final Rights rights;

    /** @param sections by the first word of their paths */
    NodeEndpoint(NodeViews views, SortedMap<String, Section> sections, Rights rights) {
        this.views = views;
        this.sections = sections;
        this.rights = rights;
    }

    @ReadOperation
    Map<String, Object> overview() {
        return views.overview();
    }

    /** Shows a section, or one of its entries. */
    @ReadOperation
    WebEndpointResponse<Object> look(
            @Selector(match = Match.ALL_REMAINING) String[] path,
            SecurityContext user,
            @Nullable String saga,
            @Nullable String sagaId,
            @Nullable String state,
            @Nullable String olderThan,
            @Nullable String after,
            @Nullable String limit,
            @Nullable String content,
            @Nullable String by,
            @Nullable String action,
            @Nullable String about,
            @Nullable String looks,
            @Nullable String elsewhere,
            @Nullable String as,
            @Nullable String type,
            @Nullable String correlation,
            @Nullable String messageId,
            @Nullable String key,
            @Nullable String unsentSince) {
        Map<String, String> asked = new LinkedHashMap<>();
        add(asked, "saga", saga);
        add(asked, "sagaId", sagaId);
        add(asked, "state", state);
        add(asked, "olderThan", olderThan);
        add(asked, "after", after);
        add(asked, "limit", limit);
        add(asked, "content", content);
        add(asked, "by", by);
        add(asked, "action", action);
        add(asked, "about", about);
        add(asked, "looks", looks);
        add(asked, "elsewhere", elsewhere);
        add(asked, "as", as);
        add(asked, "type", type);
        add(asked, "correlation", correlation);
        add(asked, "messageId", messageId);
        add(asked, "key", key);
        add(asked, "unsentSince", unsentSince);
        return Answers.found(
                () -> {
                    Section section = section(path);
                    refuseOthers(asked, section.looksBy(), Section::looksBy);
                    return section.look(below(path), asked, user);
                },
                path.length == 1
                        ? "Unknown section [section=%s]: there are %s."
                                .formatted(Names.printable(path[0]), sections.keySet())
                        : "Not found %s: breakers/{type} and handlers/{type} show the types that this node handles, nodes/{node} shows a node of which this instance knows, and operations/{operation} shows one of the last 100 operations on poison messages that this instance started. Leave out the name for a list."
                                .formatted(shown(path)));
    }

    @WriteOperation
    WebEndpointResponse<Object> change(
            @Selector(match = Match.ALL_REMAINING) String[] path,
            SecurityContext user,
            @Nullable Checked checked,
            @Nullable String state,
            @Nullable String duration,
            @Nullable String scope,
            @Nullable String action,
            @Nullable String saga,
            @Nullable String sagaId,
            @Nullable String step,
            @Nullable String version,
            @Nullable String messageId,
            @Nullable String at,
            @Nullable String dueAt,
            @Nullable String subject,
            @Nullable String dryRun,
            @Nullable String reason) {
        Map<String, String> asked = new LinkedHashMap<>();
        add(asked, "state", state);
        add(asked, "duration", duration);
        add(asked, "scope", scope);
        add(asked, "saga", saga);
        add(asked, "sagaId", sagaId);
        add(asked, "action", action);
        add(asked, "step", step);
        add(asked, "version", version);
        add(asked, "messageId", messageId);
        add(asked, "at", at);
        add(asked, "dueAt", dueAt);
        add(asked, "subject", subject);
        add(asked, "dryRun", dryRun);
        add(asked, "reason", reason);
        return rights.changing(ID, user, checked, () -> changed(path, asked, user));
    }

    private WebEndpointResponse<Object> changed(String[] path, Map<String, String> asked, SecurityContext user) {
        return Answers.found(
                () -> {
                    Section section = section(path);
                    Set<String> taken = section.changesBy();
                    // where nothing changes, a pause is not refused: the response says where to pause
                    refuseOthers(asked, taken.isEmpty() ? BreakerSection.PAUSE : taken, Section::changesBy);
                    return section.change(below(path), asked, user);
                },
                "Nothing to change %s: use POST breakers/{type}, POST sagas/{id}, POST scheduled/{id}, POST subjects or POST keys. To cancel an operation, use DELETE operations/{operation}."
                        .formatted(shown(path)));
    }

    @DeleteOperation
    WebEndpointResponse<Object> cancel(
            @Selector(match = Match.ALL_REMAINING) String[] path, SecurityContext user, @Nullable Checked checked) {
        return rights.changing(ID, user, checked, () -> cancelled(path, user));
    }

    private WebEndpointResponse<Object> cancelled(String[] path, SecurityContext user) {
        return Answers.found(
                () -> section(path).cancel(below(path), user),
                "Nothing to cancel %s: use DELETE operations/{operation} with one of the last 100 operations that this instance started. To end a pause, POST breakers/{type} with the state closed; to end a saga, POST sagas/{id} with the action fail; to cancel a scheduled message, POST scheduled/{id} with the action cancel."
                        .formatted(shown(path)));
    }

    private static void add(Map<String, String> asked, String name, @Nullable String value) {
        if (value != null) {
            asked.put(name, value);
        }
    }

    private Section section(String[] path) {
        return path.length == 0 ? UNKNOWN : sections.getOrDefault(path[0], UNKNOWN);
    }

    private static List<String> below(String[] path) {
        return Stream.of(path).skip(1).toList();
    }

    /** Refuses a parameter that has an effect in other sections only. */
    private void refuseOthers(Map<String, String> asked, Set<String> taken, Function<Section, Set<String>> parameters) {
        asked.forEach((name, value) -> {
            if (!taken.contains(name)) {
                String takers = sections.entrySet().stream()
                        .filter(section -> parameters.apply(section.getValue()).contains(name))
                        .map(Map.Entry::getKey)
                        .collect(Collectors.joining(" and "));
                throw Asked.wrong(
                        name, name.equals("subject") ? "given" : value, "it is for %s only".formatted(takers));
            }
        });
    }

    private static String shown(String[] path) {
        return "[section=%s, name=%s]"
                .formatted(
                        path.length == 0 ? "none" : Names.printable(path[0]),
                        path.length < 2 ? "none" : Names.printable(String.join("/", below(path))));
    }
}
