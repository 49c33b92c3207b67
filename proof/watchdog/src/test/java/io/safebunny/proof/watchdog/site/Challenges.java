// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog.site;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Answers at which a browser with a window asks for a password, in a window of its own, again and again while a page polls; one without a
 * window does not show that. Thread-safe.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
public final class Challenges implements Filter, WebFilter {

    private final List<String> paths = new CopyOnWriteArrayList<>();

    /** The paths that were answered so. */
    public List<String> paths() {
        return List.copyOf(paths);
    }

    private void answered(String path, @Nullable String challenge) {
        if (challenge != null) {
            paths.add(path);
        }
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        chain.doFilter(request, response);
        answered(
                ((HttpServletRequest) request).getRequestURI(),
                ((HttpServletResponse) response).getHeader(HttpHeaders.WWW_AUTHENTICATE));
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        return chain.filter(exchange)
                .doFinally(signal -> answered(
                        exchange.getRequest().getPath().value(),
                        exchange.getResponse().getHeaders().getFirst(HttpHeaders.WWW_AUTHENTICATE)));
    }
}
