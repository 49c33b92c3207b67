// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.page;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

/** The token that Spring Security's filter leaves in the servlet request. Thread-safe. */
public final class ServletCsrfTokens implements CsrfTokens {

    @Override
    public @Nullable Map<String, String> current() {
        RequestAttributes request = RequestContextHolder.getRequestAttributes();
        Object token = request == null
                ? null
                : request.getAttribute(CsrfToken.class.getName(), RequestAttributes.SCOPE_REQUEST);
        return token instanceof CsrfToken csrf
                ? Map.of("header", csrf.getHeaderName(), "token", csrf.getToken())
                : null;
    }
}
