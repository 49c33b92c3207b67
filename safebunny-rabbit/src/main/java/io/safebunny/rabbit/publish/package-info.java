// SPDX-License-Identifier: Apache-2.0
/** Publishes on a few channels shared by many threads, and matches the broker's confirms, returns and refusals to publications. */
@NullMarked
package io.safebunny.rabbit.publish;

import org.jspecify.annotations.NullMarked;
