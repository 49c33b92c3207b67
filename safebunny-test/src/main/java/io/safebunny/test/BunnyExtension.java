// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/** Resets the {@link BunnyHarness} before each test and checks afterwards that no work is left. */
final class BunnyExtension implements BeforeEachCallback, AfterEachCallback, ParameterResolver {

    private static BunnyHarness harness(ExtensionContext context) {
        return SpringExtension.getApplicationContext(context).getBean(BunnyHarness.class);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        harness(context).begin();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        boolean failed = context.getExecutionException().isPresent();
        harness(context).end(!failed);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == BunnyHarness.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return harness(context);
    }
}
