// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.page;

import io.safebunny.autoconfigure.actuate.http.Answers;
import io.safebunny.autoconfigure.actuate.http.PlainJson;
import io.safebunny.message.Names;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.util.MimeType;

/**
 * Serves the page and its files. All links are relative, so it works below a context path, behind a proxy that strips a prefix, on a
 * management port and with a path mapping. Takes any query parameter, because a login may add one. Thread-safe.
 */
@WebEndpoint(id = "safebunnyui", defaultAccess = Access.READ_ONLY)
public final class PageEndpoint {

    /** The name under which the page asks who its user is. */
    static final String SESSION = "session";

    static final EndpointId ID = EndpointId.of("safebunnyui");

    private static final MimeType JSON = new MimeType("application", "json");

    private final PageFiles files = new PageFiles();
    private final PageSession session;
    private final EndpointPlaces places;

    public PageEndpoint(PageSession session, ObjectProvider<PathMappedEndpoints> endpoints) {
        this.session = session;
        this.places = new EndpointPlaces(endpoints, ID);
    }

    @ReadOperation(produces = "text/html")
    WebEndpointResponse<Object> page() {
        String segment = places.ownSegment();
        return answer(files.index(segment.isEmpty() ? "./" : "./" + segment + "/"));
    }

    /** A file, the session, or, for a slash at the end of the page's path, the page itself. */
    @ReadOperation(produces = {"text/html", "text/css", "text/javascript", "text/plain", "application/json"})
    WebEndpointResponse<Object> file(@Selector(match = Match.ALL_REMAINING) String[] file, SecurityContext user) {
        String name = String.join("/", file);
        if (name.isEmpty()) {
            return answer(files.index("./"));
        }
        if (name.equals(SESSION)) {
            return new WebEndpointResponse<>(
                    PlainJson.bytes(session.of(user, places)), WebEndpointResponse.STATUS_OK, JSON);
        }
        PageFiles.File found = files.find(name);
        return found == null ? missing(name) : answer(found);
    }

    private static WebEndpointResponse<Object> answer(PageFiles.File file) {
        return new WebEndpointResponse<>(file.bytes(), WebEndpointResponse.STATUS_OK, file.type());
    }

    private static WebEndpointResponse<Object> missing(String name) {
        return Answers.found(
                () -> null,
                "The page has no such file [file=%s]. Check the address; the page itself is one level up."
                        .formatted(Names.printable(name)));
    }
}
