# The assets of pages (templates, style sheets, scripts, fonts), built by site_templates/build.mjs into share/lectern/site, where
# they are installed too. LECTERN_SITE_STAMP changes when they do.
set(LECTERN_SITE_TEMPLATES ${CMAKE_BINARY_DIR}/share/lectern/site)
set(LECTERN_SITE_STAMP ${CMAKE_BINARY_DIR}/share/lectern/site.stamp)
file(GLOB site_sources CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/site_templates/*.mjs ${PROJECT_SOURCE_DIR}/site_templates/*.mustache
  ${PROJECT_SOURCE_DIR}/site_templates/*.json ${PROJECT_SOURCE_DIR}/site_templates/*.svg)
file(GLOB_RECURSE site_parts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/site_templates/src/*)
add_custom_command(OUTPUT ${LECTERN_SITE_STAMP}
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${LECTERN_SITE_TEMPLATES}
  COMMAND ${NODE} ${PROJECT_SOURCE_DIR}/site_templates/build.mjs ${LECTERN_SITE_TEMPLATES}
  COMMAND ${CMAKE_COMMAND} -E touch ${LECTERN_SITE_STAMP}
  DEPENDS ${site_sources} ${site_parts}
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/site_templates
  COMMENT "Building the site's scripts and styles"
  VERBATIM)
add_custom_target(site-assets ALL DEPENDS ${LECTERN_SITE_STAMP})
