// SPDX-License-Identifier: Apache-2.0
/** Publishes what is done through the endpoints, and whose content is looked at, as Spring's audit events. */
@NullMarked
package io.safebunny.autoconfigure.actuate.audit;

import org.jspecify.annotations.NullMarked;
