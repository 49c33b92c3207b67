// SPDX-License-Identifier: Apache-2.0
/**
 * The page: an endpoint that serves files, and tells them who the user is and where the other endpoints are. It changes nothing and knows
 * nothing else: all that the page shows and does goes through the other endpoints.
 */
@NullMarked
package io.safebunny.autoconfigure.actuate.page;

import org.jspecify.annotations.NullMarked;
