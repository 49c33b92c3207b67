// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.page;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.security.web.server.csrf.CsrfToken;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Hands the token of Spring Security's reactive filter to the page, in headers of the answer about its session: an endpoint of WebFlux sees
 * nothing of the exchange. A page of another site cannot read them. Thread-safe.
 */
public final class CsrfHeaders implements WebFilter {

    private static final String HEADER = "SafeBunny-Csrf-Header";
    private static final String TOKEN = "SafeBunny-Csrf-Token";

    private final ObjectProvider<PathMappedEndpoints> endpoints;

    /** @param endpoints to know the page's own path; asked late, because they contain the page itself */
    public CsrfHeaders(ObjectProvider<PathMappedEndpoints> endpoints) {
        this.endpoints = endpoints;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        Mono<CsrfToken> token = exchange.getAttribute(CsrfToken.class.getName());
        return token == null || !isForPage(exchange.getRequest())
                ? chain.filter(exchange)
                : token.doOnNext(
                                present -> write(present, exchange.getResponse().getHeaders()))
                        .then(Mono.defer(() -> chain.filter(exchange)));
    }

    /** Asking for a token may begin a session, so nobody else's request does. */
    private boolean isForPage(ServerHttpRequest request) {
        PathMappedEndpoints all = endpoints.getIfAvailable();
        String page = all == null ? null : all.getPath(PageEndpoint.ID);
        return HttpMethod.GET.equals(request.getMethod())
                && page != null
                && request.getPath().pathWithinApplication().value().equals(page + "/" + PageEndpoint.SESSION);
    }

    private static void write(CsrfToken token, HttpHeaders headers) {
        headers.set(HEADER, token.getHeaderName());
        headers.set(TOKEN, token.getToken());
    }
}
