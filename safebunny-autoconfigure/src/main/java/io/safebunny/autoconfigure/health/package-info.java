// SPDX-License-Identifier: Apache-2.0
/** The health of a node for Spring Boot's health endpoint, one part for each question an operator asks. Only reads. */
@NullMarked
package io.safebunny.autoconfigure.health;

import org.jspecify.annotations.NullMarked;
