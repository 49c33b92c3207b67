// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.page;

import io.safebunny.autoconfigure.actuate.http.Asked;
import io.safebunny.autoconfigure.actuate.http.Rights;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.SecurityContext;

/**
 * What the page must know before it asks anything: who the user is, where the endpoints are, what this user may do there and, if not, what to
 * set. Thread-safe.
 */
public final class PageSession {

    private static final EndpointId NODE = EndpointId.of("safebunny");
    private static final EndpointId POISON = EndpointId.of("safebunnypoison");
    private static final EndpointId STORY = EndpointId.of("safebunnystory");

    private final Rights rights;
    private final Predicate<SecurityContext> showsStates;
    private final Predicate<SecurityContext> showsAudit;
    private final Predicate<SecurityContext> showsBodies;
    private final Supplier<Map<String, Object>> node;
    private final Map<String, String> pages;
    private final CsrfTokens csrf;

    /**
     * @param node the node, the instance, whether there are sagas, and whether content is masked
     * @param properties has the pages of other nodes
     * @param csrf the token that a change needs
     */
    public PageSession(
            Rights rights,
            Predicate<SecurityContext> showsStates,
            Predicate<SecurityContext> showsAudit,
            Predicate<SecurityContext> showsBodies,
            Supplier<Map<String, Object>> node,
            PageEndpointProperties properties,
            CsrfTokens csrf) {
        this.rights = rights;
        this.showsStates = showsStates;
        this.showsAudit = showsAudit;
        this.showsBodies = showsBodies;
        this.node = node;
        this.pages = properties.links();
        this.csrf = csrf;
    }

    Map<String, Object> of(SecurityContext user, EndpointPlaces places) {
        Map<String, Object> session = new LinkedHashMap<>(node.get());
        session.put("user", Asked.by(user));
        Map<String, Object> endpoints = new LinkedHashMap<>();
        endpoints.put("node", endpoint(NODE, user, places));
        endpoints.put("poison", endpoint(POISON, user, places));
        endpoints.put("story", endpoint(STORY, user, places));
        session.put("endpoints", endpoints);
        session.put("pages", pages);
        session.put("states", showsStates.test(user));
        session.put("bodies", showsBodies.test(user));
        session.put("audit", showsAudit.test(user));
        session.put("csrf", csrf.current());
        return session;
    }

    private Map<String, Object> endpoint(EndpointId id, SecurityContext user, EndpointPlaces places) {
        String refusal = refusal(id, user, places);
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("at", places.of(id));
        view.put("writes", refusal == null);
        view.put("refusal", refusal);
        return view;
    }

    private @Nullable String refusal(EndpointId id, SecurityContext user, EndpointPlaces places) {
        if (places.of(id) == null) {
            return "The endpoint %s is not exposed. Add it to management.endpoints.web.exposure.include.".formatted(id);
        }
        String refusal = rights.refusal(id, user);
        return refusal == null && !places.takesChanges(id) ? rights.readOnly(id) : refusal;
    }
}
