// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.logs;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Resolves {@link CapturedLogs} parameters of tests; JUnit closes them after the test. */
public final class CapturedLogsExtension implements ParameterResolver {

    private static final Namespace NAMESPACE = Namespace.create(CapturedLogs.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == CapturedLogs.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getStore(NAMESPACE)
                .computeIfAbsent(CapturedLogs.class, type -> CapturedLogs.start(), CapturedLogs.class);
    }
}
