// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.page;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.web.ExposableWebEndpoint;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoint;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.web.util.UriUtils;

/**
 * Where endpoints are, and what Spring Boot really lets through to them, whatever the properties say. Paths are relative, because a context
 * path and what a proxy strips are not known here. Thread-safe.
 */
final class EndpointPlaces {

    private final ObjectProvider<PathMappedEndpoints> endpoints;
    private final EndpointId page;

    /** @param endpoints asked late, because they contain the page itself */
    EndpointPlaces(ObjectProvider<PathMappedEndpoints> endpoints, EndpointId page) {
        this.endpoints = endpoints;
        this.page = page;
    }

    private @Nullable String path(EndpointId id) {
        PathMappedEndpoints all = endpoints.getIfAvailable();
        return all == null ? null : all.getPath(id);
    }

    private List<String> segments(EndpointId id) {
        String path = path(id);
        return Stream.of((path == null ? "" : path).split("/", -1))
                .filter(segment -> !segment.isEmpty())
                .map(segment -> UriUtils.encodePathSegment(segment, StandardCharsets.UTF_8))
                .toList();
    }

    /** The last segment of the page's own path, to which its files are relative; empty if the page is at the root. */
    String ownSegment() {
        List<String> own = segments(page);
        return own.isEmpty() ? "" : own.get(own.size() - 1);
    }

    /** Where an endpoint is, seen from the page's files; {@code null} if it is not exposed. */
    @Nullable
    String of(EndpointId id) {
        if (path(id) == null) {
            return null;
        }
        List<String> from = segments(page);
        List<String> to = segments(id);
        int common = 0;
        while (common < Math.min(from.size(), to.size()) && from.get(common).equals(to.get(common))) {
            common++;
        }
        String up = "../".repeat(from.size() - common);
        // without a beginning, a colon in the first name would end the name of a scheme
        return (up.isEmpty() ? "./" : up) + String.join("/", to.subList(common, to.size()));
    }

    /** Whether anything can be changed through it. */
    boolean takesChanges(EndpointId id) {
        PathMappedEndpoints all = endpoints.getIfAvailable();
        PathMappedEndpoint endpoint = all == null ? null : all.getEndpoint(id);
        return endpoint instanceof ExposableWebEndpoint web
                && web.getOperations().stream().anyMatch(operation -> operation.getType() == OperationType.WRITE);
    }
}
