// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.handler.PayloadValidator;
import jakarta.validation.Validator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** Validation of {@code @Valid} payloads, if the application has Bean Validation. */
@AutoConfiguration(afterName = "org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration")
@ConditionalOnBooleanProperty(name = "safebunny.enabled", matchIfMissing = true)
@ConditionalOnClass(Validator.class)
final class ValidationAutoConfiguration {

    @Bean
    @ConditionalOnSingleCandidate(Validator.class)
    @ConditionalOnMissingBean
    PayloadValidator safeBunnyPayloadValidator(Validator validator) {
        return new BeanValidation(validator);
    }
}
