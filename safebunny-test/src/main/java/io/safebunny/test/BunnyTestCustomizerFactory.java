// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Prepares the contexts of classes with {@link BunnyTest}, and no others. */
final class BunnyTestCustomizerFactory implements ContextCustomizerFactory {

    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
        BunnyTest annotation = TestContextAnnotationUtils.findMergedAnnotation(testClass, BunnyTest.class);
        return annotation == null
                ? null
                : new BunnyTestCustomizer(
                        annotation.broker().chosen(), annotation.mostSteps(), annotation.longestStep());
    }
}
