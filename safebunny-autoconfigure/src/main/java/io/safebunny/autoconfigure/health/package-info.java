// SPDX-License-Identifier: Apache-2.0
/**
 * The health of a node for Spring Boot's health endpoint, with one part for each question an operator asks. Reads only, changes nothing.
 */
@NullMarked
package io.safebunny.autoconfigure.health;

import org.jspecify.annotations.NullMarked;
