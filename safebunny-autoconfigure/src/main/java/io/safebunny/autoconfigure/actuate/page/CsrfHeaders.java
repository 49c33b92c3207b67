// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.page;

import org.springframework.http.HttpHeaders;
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

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        Mono<CsrfToken> token = exchange.getAttribute(CsrfToken.class.getName());
        boolean asked = exchange.getRequest().getPath().value().endsWith("/" + PageEndpoint.SESSION);
        return token == null || !asked
                ? chain.filter(exchange)
                : token.doOnNext(
                                present -> write(present, exchange.getResponse().getHeaders()))
                        .then(Mono.defer(() -> chain.filter(exchange)));
    }

    private static void write(CsrfToken token, HttpHeaders headers) {
        headers.set(HEADER, token.getHeaderName());
        headers.set(TOKEN, token.getToken());
    }
}
